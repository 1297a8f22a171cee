-- Erases a child's plans and what is watched of its nights, what base stations of former owners have measured, its notes, surveys, rejected records, the journal of those shifted, the
-- history of its devices, its changes, its lines of exports, who may see it (they are told), where its logs were deleted from, and the
-- old values of its trail, whichever way it is deleted.
CREATE OR REPLACE FUNCTION erase_child() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Of what is known about the child nothing stays but that it is gone, for those who watch it.
  INSERT INTO change (kind, real_user_id, subject_id, account_id, client_id)
  SELECT 'child.deleted', NEW.id, NEW.id, account_id, client_id FROM (
    SELECT NEW.root_user_id, NULL::int WHERE EXISTS (SELECT FROM children_followed_by_others() WHERE id = NEW.id)
    UNION ALL SELECT root_user_id, NULL::int FROM live_child_memberships(current_date - 1) WHERE real_user_id = NEW.id
    UNION ALL SELECT g.root_user_id, g.client_id FROM live_grants() g JOIN access_grant_child c ON c.grant_id = g.id
      WHERE c.real_user_id = NEW.id
  ) AS reader (account_id, client_id);
  DELETE FROM plan WHERE real_user_id = NEW.id;
  DELETE FROM night_watch WHERE real_user_id = NEW.id;
  DELETE FROM change WHERE real_user_id = NEW.id AND account_id IS NULL;
  PERFORM erase_events_and_surveys(NEW.id);
  DELETE FROM rejected_devlog WHERE real_user_id = NEW.id;
  DELETE FROM shifted_devlog WHERE real_user_id = NEW.id;
  UPDATE devlog_deletion SET address = NULL WHERE real_user_id = NEW.id AND address IS NOT NULL;
  -- In the order in which all lock them.
  PERFORM FROM membership WHERE real_user_id = NEW.id ORDER BY id FOR UPDATE;
  PERFORM tell_access_ended(ARRAY(SELECT root_user_id FROM live_child_memberships(current_date - 1) WHERE real_user_id = NEW.id), NEW.id);
  DELETE FROM membership WHERE real_user_id = NEW.id;
  DELETE FROM invitation WHERE real_user_id = NEW.id;
  PERFORM FROM clinic_connection WHERE real_user_id = NEW.id ORDER BY id FOR UPDATE;
  DELETE FROM clinic_connection WHERE real_user_id = NEW.id;
  DELETE FROM transfer_offer WHERE real_user_id = NEW.id;
  DELETE FROM past_reading_day WHERE real_user_id = NEW.id;
  DELETE FROM fhir_export_part WHERE real_user_id = NEW.id;
  -- The rest of the trail stays, under an id that leads to nobody.
  UPDATE trail SET old_value = NULL WHERE real_user_id = NEW.id AND old_value IS NOT NULL;
  PERFORM end_grants_of_child(NEW.id);
  DELETE FROM device_history WHERE real_user_id = NEW.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER erase_child AFTER UPDATE OF deleted_at ON real_user FOR EACH ROW
  WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
  EXECUTE FUNCTION erase_child();
