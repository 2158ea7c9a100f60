DROP INDEX "task_lease_end";--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "recovery_try_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "next_recovery_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "task_due_recovery" ON "task" USING btree (greatest(lease_expires_at, next_recovery_at)) WHERE lease_expires_at is not null;--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_recovery" CHECK (next_recovery_at is null or (status = 'running' and recovery_try_count > 0));