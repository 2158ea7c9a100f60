-- Takes an account away with everything that is its own. False: there is no such account (any more).
-- Locks in the one order before the cascade takes rows in an order of its own: whoever writes to a file or task of the
-- account has ended, or finds it gone. A trigger on "user" leaves the objects' keys in object_trash.
create function engine.delete_account(p_user uuid) returns boolean language plpgsql as $$
begin
  perform 1 from "user" where id = p_user for update;
  if not found then return false; end if;
  perform 1 from file where user_id = p_user order by id for update;
  perform 1 from task where user_id = p_user order by id for update;
  delete from rate_limit where subject = p_user::text;
  delete from "user" where id = p_user;
  return true;
end
$$;
