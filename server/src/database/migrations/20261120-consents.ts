import { Migration } from '@mikro-orm/migrations'

const latest = (kind: string) => `(
  SELECT new_value AS value, CASE WHEN new_value OR old_value IS NOT NULL THEN recorded_at END AS date
  FROM consent WHERE root_user_id = u.id AND kind = '${kind}' ORDER BY id DESC LIMIT 1)`

/** Consents as a ledger, of which the policy that the contract shows is a view; and the push tokens they need. */
export class Consents extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE consent (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        root_user_id int NOT NULL REFERENCES root_user ON DELETE CASCADE,
        kind text NOT NULL CHECK (kind IN ('push', 'marketing')),
        old_value boolean CHECK (old_value <> new_value),
        new_value boolean NOT NULL,
        source text NOT NULL,
        recorded_at timestamptz(3) NOT NULL
      )`)
    this.addSql(`CREATE INDEX consent_latest ON consent (root_user_id, kind, id)`)
    this.addSql(`
      INSERT INTO consent (root_user_id, kind, old_value, new_value, source, recorded_at)
      SELECT u.id, c.kind, NULL, c.value, 'sign-up', coalesce(c.date, u.created_at)
      FROM root_user u
      CROSS JOIN LATERAL (VALUES ('push', is_push_agree, push_agree_date),
        ('marketing', is_marketing_agree, marketing_agree_date)) AS c (kind, value, date)`)
    this.addSql(`
      ALTER TABLE root_user DROP is_push_agree, DROP is_marketing_agree, DROP push_agree_date,
        DROP marketing_agree_date`)

    // A row goes only with its account, which is gone by the time the foreign key's own delete comes here.
    this.addSql(`
      CREATE FUNCTION keep_consent() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM root_user WHERE id = OLD.root_user_id) THEN
          RETURN OLD;
        END IF;
        RAISE EXCEPTION 'consents are append-only' USING ERRCODE = 'restrict_violation';
      END $$`)
    this.addSql(`
      CREATE TRIGGER keep_consent BEFORE UPDATE OR DELETE ON consent
        FOR EACH ROW EXECUTE FUNCTION keep_consent()`)

    this.addSql(`
      CREATE VIEW policy AS
      SELECT u.id AS root_user_id, push.value AS is_push_agree, push.date AS push_agree_date,
        marketing.value AS is_marketing_agree, marketing.date AS marketing_agree_date
      FROM root_user u
      JOIN LATERAL ${latest('push')} push ON true
      JOIN LATERAL ${latest('marketing')} marketing ON true`)

    // The hash stands for the token in the index, which cannot hold 4096 characters.
    this.addSql(`
      CREATE TABLE push_token (
        root_user_id int PRIMARY KEY REFERENCES root_user ON DELETE CASCADE,
        token text NOT NULL,
        token_hash bytea NOT NULL UNIQUE
      )`)
  }
}
