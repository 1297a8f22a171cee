import { Migration } from '@mikro-orm/migrations'

/** Records set aside know whose they are: they may be stored for nobody else, and go with the child. */
export class RejectedDevlogChild extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE rejected_devlog ADD real_user_id int REFERENCES real_user ON DELETE CASCADE`)
    this.addSql(`CREATE INDEX rejected_devlog_child ON rejected_devlog (real_user_id)`)
    // By a pattern, because PostgreSQL cannot read all JSON that was kept: it takes no \u0000, nor half a surrogate.
    this.addSql(`
      UPDATE rejected_devlog k SET real_user_id = d.real_user_id
      FROM device d
      WHERE d.unique_id::text = lower(substring(k.content FROM '"unique_id":"([0-9A-Fa-f-]{36})"'))
        AND d.connected_at <= k.received_at`)
    this.addSql(`
CREATE OR REPLACE FUNCTION erase_child() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM event WHERE real_user_id = NEW.id;
  DELETE FROM survey WHERE real_user_id = NEW.id;
  DELETE FROM rejected_devlog WHERE real_user_id = NEW.id;
  RETURN NULL;
END $$`)
  }
}
