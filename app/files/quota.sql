-- An account's part of the storage: taken before bytes are stored, given back once they are gone. Both belong to a
-- transaction that holds the account's lock and writes the file's row, which says in `counted` whether it is included.

-- Takes room for one file. False: it doesn't fit, and nothing changed.
create function engine.take_quota(p_user uuid, p_bytes bigint, p_max_files integer, p_max_bytes bigint) returns boolean
language plpgsql as $$
begin
  insert into storage_usage as u (user_id, file_count, byte_count)
  select p_user, 1, p_bytes where p_max_files > 0 and p_bytes <= p_max_bytes
  on conflict (user_id) do update
     set file_count = u.file_count + 1, byte_count = u.byte_count + p_bytes
   where u.file_count < p_max_files and u.byte_count + p_bytes <= p_max_bytes;
  return found;
end
$$;

-- Gives the room of that many files back. Called once for each counted row, in the statement's transaction that deletes the
-- row or ends its being counted: that, and no look at the counters, makes it once.
create function engine.return_quota(p_user uuid, p_files integer, p_bytes bigint) returns void language sql as $$
  update storage_usage set file_count = file_count - p_files, byte_count = byte_count - p_bytes
   where user_id = p_user and p_files > 0
$$;
