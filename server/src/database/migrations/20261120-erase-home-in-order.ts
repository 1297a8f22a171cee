import { Migration } from '@mikro-orm/migrations'

/**
 * An account that is deleted locks its base stations in the order in which their uploads do: two that lock them the other
 * way round would wait for each other.
 */
export class EraseHomeInOrder extends Migration {
  override up(): void {
    this.addSql(`
CREATE OR REPLACE FUNCTION erase_home() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- First, because it waits for uploads that still write for this account.
  PERFORM FROM basestation WHERE root_user_id = NEW.id ORDER BY id FOR UPDATE;
  UPDATE basestation SET root_user_id = NULL, connected_at = NULL WHERE root_user_id = NEW.id;
  DELETE FROM sleep_reading
  WHERE root_user_id = NEW.id
    AND basestation_id IN (SELECT basestation_id FROM basestation_connection WHERE root_user_id = NEW.id);
  DELETE FROM basestation_connection WHERE root_user_id = NEW.id;
  RETURN NULL;
END $$`)
  }
}
