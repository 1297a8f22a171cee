import { Migration } from '@mikro-orm/migrations'

/** What the purge looks for in tables that grow large, and addresses that it can erase. */
export class BoundedPurge extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE devlog_deletion ALTER address DROP NOT NULL`)
    this.addSql(`ALTER TABLE rejected_devlog ALTER address DROP NOT NULL`)
    this.addSql(
      `CREATE INDEX devlog_deletion_address ON devlog_deletion (deleted_at) WHERE address IS NOT NULL`,
    )
    this.addSql(`CREATE INDEX rejected_devlog_received ON rejected_devlog (received_at)`)
    this.addSql(
      `CREATE INDEX security_record_address ON security_record (recorded_at) WHERE address IS NOT NULL`,
    )
    this.addSql(`CREATE INDEX known_address_last_seen ON known_address (last_seen_at)`)
    this.addSql(`CREATE INDEX alert_done ON alert (created_at) WHERE due_at IS NULL`)
    this.addSql(`CREATE INDEX root_user_deleted ON root_user (deleted_at) WHERE deleted_at IS NOT NULL`)
  }
}
