-- One page of the search for objects that no row knows of.

-- p_listed is what storage holds after p_after, as [{"key", "uploaded"}]; p_next is where the next page begins, null at the
-- end. Orphans of the page go to the trash. Every row is written before its object and its key never comes again, so a key
-- that was listed and has no row now will never have one.
--   moved_on   the next page's turn
--   stopped    more than p_few of the page, and more than half of it, would go: that looks like a database that was
--              restored, not like waste. Nothing changed but stopped_at; the page is looked at again, until it looks
--              better or an operator has set approved_until
--   overtaken  another round has looked at this page meanwhile; nothing changed
create function engine.trash_orphans(
  p_now timestamptz, p_prefix text, p_after text, p_next text, p_listed jsonb, p_min_age interval, p_few integer
) returns table (outcome text, orphans integer) language plpgsql as $$
declare
  v_scan orphan_scan;
  v_now timestamptz;
  v_orphans text[];
  v_count integer;
begin
  insert into orphan_scan (prefix) values (p_prefix) on conflict do nothing;
  select * into v_scan from orphan_scan where prefix = p_prefix for update;
  v_now := engine.clock(p_now);
  if v_scan.cursor is distinct from p_after then
    return query select 'overtaken', 0;
    return;
  end if;

  select array_agg(listed.key) into v_orphans
    from jsonb_to_recordset(p_listed) as listed (key text, uploaded timestamptz)
   where listed.uploaded <= v_now - p_min_age
     and not exists (select from file f where f.object_key = listed.key)
     and not exists (select from object_trash t where t.object_key = listed.key);
  v_count := coalesce(cardinality(v_orphans), 0);

  if v_count > p_few and v_count * 2 > jsonb_array_length(p_listed) and coalesce(v_scan.approved_until <= v_now, true) then
    update orphan_scan set stopped_at = coalesce(stopped_at, v_now), updated_at = v_now where prefix = p_prefix;
    return query select 'stopped', v_count;
    return;
  end if;
  insert into object_trash (object_key, created_at, next_try_at)
  select key, v_now, v_now from unnest(v_orphans) key on conflict do nothing;
  update orphan_scan set cursor = p_next, stopped_at = null, updated_at = v_now where prefix = p_prefix;
  return query select 'moved_on', v_count;
end
$$;
