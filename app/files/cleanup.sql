-- Cleaning: what is due for it, and what it takes.

-- Sets aside what nobody will miss: uploads that never finished, and expired files that no active task needs. Each row moves
-- back in its line first, so that one that fails keeps no other. One row for each that was looked at:
--   aside     nobody sees it any more, and its object is due for removal
--   pinned    an active task needs it; looked at again five minutes later
--   <SQLSTATE>  it failed; looked at again after gaps that grow
create function engine.set_due_files_aside(p_now timestamptz, p_limit integer)
returns table (file_id uuid, outcome text) language plpgsql as $$
declare
  v_now timestamptz := engine.clock(p_now);
  v_due uuid[];
  v_id uuid;
  v_pinned boolean;
begin
  with due as (
    select id from file
     where next_try_at <= v_now and (state = 'ready' or (state = 'uploading' and origin = 'upload'))
     order by next_try_at
     limit p_limit
       for update skip locked
  ), taken as (
    update file f set try_count = f.try_count + 1, next_try_at = engine.try_again_at(v_now, f.try_count)
      from due
     where f.id = due.id
    returning f.id
  )
  select array_agg(id) into v_due from taken;

  foreach v_id in array coalesce(v_due, '{}') loop
    begin
      -- Under the row's lock: a task that was submitted before it has its pin by now.
      v_pinned := exists (select from task_input_pin p where p.file_id = v_id);
      update file
         set state = case when v_pinned then state else 'deleting' end,
             next_try_at = case when v_pinned then v_now + interval '5 minutes' else v_now end,
             try_count = 0, request_key = null, request_index = null, updated_at = v_now
       where id = v_id and state in ('ready', 'uploading');
      return query select v_id, case when v_pinned then 'pinned' else 'aside' end;
    exception when others then
      return query select v_id, sqlstate;
    end;
  end loop;
end
$$;

-- Takes what is due for removal from storage: files that were set aside, and the trash, whose objects have no file
-- (file_id null). Each moves back in its line before it is tried, so that one that fails, hangs or ends its round blocks
-- no other, and two rounds at once take different ones.
create function engine.take_objects(p_now timestamptz, p_limit integer)
returns table (file_id uuid, object_key text) language sql as $$
  with due_file as (
    select id from file
     where next_try_at <= engine.now(p_now) and state = 'deleting'
     order by next_try_at
     limit p_limit
       for update skip locked
  ), taken_file as (
    update file f
       set try_count = f.try_count + 1, next_try_at = engine.try_again_at(engine.now(p_now), f.try_count)
      from due_file d
     where f.id = d.id and f.state = 'deleting'
    returning f.id, f.object_key
  ), due_trash as (
    select t.object_key from object_trash t
     where t.next_try_at <= engine.now(p_now)
     order by t.next_try_at
     limit p_limit
       for update skip locked
  ), taken_trash as (
    update object_trash t
       set try_count = t.try_count + 1, next_try_at = engine.try_again_at(engine.now(p_now), t.try_count)
      from due_trash d
     where t.object_key = d.object_key
    returning t.object_key
  )
  select id, taken_file.object_key from taken_file
  union all
  select null, taken_trash.object_key from taken_trash
$$;
