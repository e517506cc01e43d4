-- Who made an invitation: it is valid only while its maker could still make it. The audit log knows the makers of those that
-- are open now; one without an entry is not valid any more.
ALTER TABLE invitations
  ADD COLUMN created_by_type text CHECK (created_by_type IN ('member', 'key', 'cli')),
  ADD COLUMN created_by uuid;
UPDATE invitations i SET created_by_type = a.actor_type, created_by = a.actor_id
FROM audit_entries a
WHERE a.project_id = i.project_id AND a.action = 'invitation.created' AND a.target_id = i.id::text
  AND a.actor_type <> 'system';
