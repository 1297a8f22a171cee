-- Tells those who watch a child of a plan, another profile or another owner; the trigger names the kind. A plan is among the figures that clinics see.
CREATE OR REPLACE FUNCTION record_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed jsonb := coalesce(to_jsonb(NEW), to_jsonb(OLD));
  subject int := changed ->> 'id';
  child int := coalesce(changed ->> 'real_user_id', changed ->> 'id');
BEGIN
  INSERT INTO change (kind, real_user_id, subject_id, date)
  SELECT TG_ARGV[0], child, subject, (changed ->> 'from_date')::date
  WHERE EXISTS (SELECT FROM children_followed_by_others() f WHERE f.id = child);
  IF TG_TABLE_NAME = 'plan' THEN
    PERFORM mark_figures(ARRAY[child]);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_changed_child AFTER UPDATE ON real_user FOR EACH ROW
  WHEN (NEW.deleted_at IS NULL AND (OLD.root_user_id, OLD.first_name, OLD.last_name, OLD.birthdate, OLD.gender)
    IS DISTINCT FROM (NEW.root_user_id, NEW.first_name, NEW.last_name, NEW.birthdate, NEW.gender)
    -- Another value of the same content.
    AND current_setting('companion.reencrypting', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION record_change('child.updated');

CREATE OR REPLACE TRIGGER record_changed_plan AFTER INSERT OR UPDATE OR DELETE ON plan FOR EACH ROW
  EXECUTE FUNCTION record_change('plan.changed');
