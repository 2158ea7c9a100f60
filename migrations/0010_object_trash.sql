ALTER TABLE "orphan_scan" ADD COLUMN "stopped_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "orphan_scan" ADD COLUMN "approved_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "file_user" ON "file" USING btree ("user_id");--> statement-breakpoint
-- Whatever deletes an account leaves its objects' keys in the trash, in the same transaction. The row is locked by then, so
-- no file can come after this look. One that may still be written waits until it would have been given up; the times are
-- the files' own. Outside schema engine, which is dropped and made anew, and would take the trigger along.
CREATE FUNCTION "leave_objects_in_trash"() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  insert into public.object_trash (object_key, next_try_at)
  select object_key, case when state = 'uploading' then next_try_at else updated_at end
    from public.file where user_id = old.id
  on conflict do nothing;
  return old;
end
$$;--> statement-breakpoint
CREATE TRIGGER "user_leaves_objects" BEFORE DELETE ON "user" FOR EACH ROW EXECUTE FUNCTION "leave_objects_in_trash"();
