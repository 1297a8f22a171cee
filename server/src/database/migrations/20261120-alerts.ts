import { Migration } from '@mikro-orm/migrations'

/** The outbox of alerts to parents, filled in the transaction of the upload that gives rise to them. */
export class Alerts extends Migration {
  override up(): void {
    // No foreign keys: they would make uploads wait for whoever changes an account.
    this.addSql(`
      CREATE TABLE alert (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        uuid uuid NOT NULL DEFAULT gen_random_uuid(),
        channel text NOT NULL CHECK (channel IN ('push', 'alim_talk')),
        kind text NOT NULL CHECK (kind IN ('device_contact', 'basestation_environment')),
        cause uuid NOT NULL,
        root_user_id int NOT NULL,
        real_user_id int,
        device_id int,
        basestation_id int,
        tries smallint NOT NULL DEFAULT 0,
        due_at timestamptz DEFAULT now(),
        outcome text,
        created_at timestamptz NOT NULL DEFAULT now()
      )`)
    this.addSql(`CREATE UNIQUE INDEX alert_cause ON alert (cause, channel)`)
    this.addSql(`CREATE INDEX alert_due ON alert (due_at) WHERE due_at IS NOT NULL`)
    this.addSql(alertContactFault)
  }
}

// For each row with a contact fault: the condition is looked at before anything is set in motion, so that an upload
// without faults pays next to nothing. The cause is the treatment, however often and in how many records it arrives.
const alertContactFault = `
CREATE FUNCTION alert_contact_fault() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO alert (channel, kind, cause, root_user_id, real_user_id, device_id)
  SELECT c.channel, 'device_contact',
    md5('device ' || NEW.device_id || to_char(NEW.treatment_date, ' YYYYMMDDHH24MISSUS'))::uuid,
    u.id, r.id, NEW.device_id
  FROM real_user r
  JOIN root_user u ON u.id = r.root_user_id
  CROSS JOIN LATERAL (VALUES ('push', true), ('alim_talk', u.is_device_alim_talk_enabled)) AS c (channel, is_on)
  WHERE r.id = NEW.real_user_id AND r.deleted_at IS NULL AND NOT u.is_device_muted AND c.is_on
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER alert_contact_fault AFTER INSERT OR UPDATE OF finish_flag ON treatment FOR EACH ROW
  WHEN (NEW.finish_flag = 4 AND NEW.deleted_at IS NULL)
  EXECUTE FUNCTION alert_contact_fault()`
