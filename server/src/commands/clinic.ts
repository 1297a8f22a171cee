import { Command, Option } from 'commander'
import { clinicRoleSchema, discardClinicInvitation } from '../auth/clinician-invitation.ts'
import type { ClinicRole } from '../auth/clinician-invitation.ts'
import { isEmail } from '../auth/email-address/email-address.ts'
import { clinicInvitationLink } from '../clinics/invite-member.ts'
import {
  addClinic,
  inviteToClinic,
  listClinics,
  recountClinic,
  removeClinic,
  renameClinic,
  replaceCode,
} from '../clinics/manage-clinics.ts'
import type { ListedClinic } from '../clinics/manage-clinics.ts'
import { createSenders } from '../delivery/configured.ts'
import { clinicInvitationMail } from '../delivery/messages.ts'
import { today } from '../time/wall-clock.ts'
import { descriptions } from './descriptions.ts'
import { operatorCommand, operatorOf } from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import {
  createCommand,
  CommandError,
  parseId,
  parseLabel,
  parseWebAddress,
  printResult,
  withDatabase,
} from './program.ts'
import { fieldLines, formatCount, table } from './table.ts'

const CLINIC = 'id of the clinic'

const noSuchClinic = () => new CommandError('There is no clinic with this id')

const add = operatorCommand(
  'add',
  'add a clinic; prints the code by which parents let it in',
  'clinic add --name "Seoul Sleep Clinic" --url https://clinic.example.org',
)
  .requiredOption('--name <name>', 'how parents know it', parseLabel(100))
  .option('--url <url>', 'where it presents itself', parseWebAddress)
  .action(async ({ name, url, ...options }: OperatorOptions & { name: string; url?: string }) => {
    const added = await withDatabase(({ database }) =>
      database.transaction((sql) => addClinic(sql, { name, url: url ?? null }, operatorOf(options))),
    )
    printResult(added, options, `Clinic ${added.clinic_id} has the code ${added.code}`)
  })

const list = createCommand('list', 'list the clinics', 'clinic list').action(
  async (options: { json?: boolean }) => {
    const clinics = await withDatabase(({ config, database }) =>
      listClinics(database.sql, today(config.timeZone)),
    )
    printResult(clinics, options, clinicTable(clinics))
  },
)

const clinicTable = (clinics: readonly ListedClinic[]) =>
  table(
    ['clinic', 'name', 'url', 'code', 'members', 'children', 'created'],
    clinics.map((each) => [
      each.clinic_id,
      each.name,
      each.url,
      each.code,
      each.members,
      each.children,
      each.created_at,
    ]),
    'There is no clinic',
  )

const show = createCommand('show', 'show one clinic', 'clinic show 3')
  .argument('<clinic-id>', CLINIC, parseId)
  .action(async (clinicId: number, options: { json?: boolean }) => {
    const [clinic] = await withDatabase(({ config, database }) =>
      listClinics(database.sql, today(config.timeZone), clinicId),
    )
    if (!clinic) throw noSuchClinic()
    printResult(clinic, options, fieldLines({ ...clinic }))
  })

const rename = operatorCommand(
  'rename',
  'give a clinic another name',
  'clinic rename 3 --name "Seoul Clinic for Sleep"',
)
  .argument('<clinic-id>', CLINIC, parseId)
  .requiredOption('--name <name>', 'how parents know it from now on', parseLabel(100))
  .action(async (clinicId: number, { name, ...options }: OperatorOptions & { name: string }) => {
    const isDone = await withDatabase(({ database }) =>
      database.transaction((sql) => renameClinic(sql, clinicId, name, operatorOf(options))),
    )
    if (!isDone) throw noSuchClinic()
    printResult({ clinic_id: clinicId, name }, options, `Clinic ${clinicId} is called ${name}`)
  })

const newCode = operatorCommand(
  'new-code',
  'give a clinic another code; nobody is let in by the old one any more',
  'clinic new-code 3',
)
  .argument('<clinic-id>', CLINIC, parseId)
  .action(async (clinicId: number, options: OperatorOptions) => {
    const replaced = await withDatabase(({ database }) =>
      database.transaction((sql) => replaceCode(sql, clinicId, operatorOf(options))),
    )
    if (!replaced) throw noSuchClinic()
    printResult(replaced, options, `Clinic ${clinicId} has the code ${replaced.code}`)
  })

const recount = createCommand(
  'recount',
  'count again what is kept of the nights of its children, should it not say what the records say',
  'clinic recount 3',
)
  .argument('<clinic-id>', CLINIC, parseId)
  .action(async (clinicId: number, options: { json?: boolean }) => {
    const children = await withDatabase(({ config: { timeZone, adherenceGoalMinutes: goal }, database }) =>
      recountClinic(database, clinicId, { today: today(timeZone), goal, timeZone }),
    )
    if (children === undefined) throw noSuchClinic()
    printResult(
      { clinic_id: clinicId, children },
      options,
      formatCount(children, 'child was', 'children were') + ' recounted',
    )
  })

interface InviteOptions extends OperatorOptions {
  role: ClinicRole
  language: 'KR' | 'EN'
}

const invite = operatorCommand(
  'invite',
  'invite somebody to work in a clinic, by mail; the first one as an admin',
  'clinic invite 3 doctor@clinic.example.org --role admin',
)
  .argument('<clinic-id>', CLINIC, parseId)
  .argument('<email>', 'where the invitation goes')
  .addOption(
    new Option('--role <role>', 'what they may do').choices(clinicRoleSchema.options).makeOptionMandatory(),
  )
  .addOption(new Option('--language <language>', 'of the mail').choices(['KR', 'EN']).default('KR'))
  .action(async (clinicId: number, email: string, { role, language, ...options }: InviteOptions) => {
    if (!isEmail(email)) throw new CommandError('That is not an e-mail address')
    const invited = await withDatabase(async ({ config, database }) => {
      const issued = await database.transaction((sql) =>
        inviteToClinic(sql, database.keyRing, { clinic_id: clinicId, email, role }, operatorOf(options)),
      )
      if (!issued) throw noSuchClinic()
      const link = clinicInvitationLink(config.publicUrl ?? `http://localhost:${config.port}`, issued.token)
      const mail = clinicInvitationMail(language === 'KR' ? 'ko' : 'en', { link, clinic: issued.clinic })
      try {
        await createSenders(config).mail.sendMail({ to: email, link, ...mail })
      } catch (error) {
        await discardClinicInvitation(database.sql, issued.token)
        throw new CommandError(`The mail was not sent, and the invitation is void: ${String(error)}`, {
          cause: error,
        })
      }
      return issued
    })
    const { id, expires_at } = invited
    printResult(
      { clinic_id: clinicId, invitation_id: id, email, role, expires_at },
      options,
      `Invitation ${id} to clinic ${clinicId} went to ${email}`,
    )
  })

const remove = operatorCommand(
  'remove',
  'remove a clinic: its code, the work of its members and all its connections end',
  'clinic remove 3',
)
  .argument('<clinic-id>', CLINIC, parseId)
  .action(async (clinicId: number, options: OperatorOptions) => {
    const isDone = await withDatabase(({ database }) =>
      database.transaction((sql) => removeClinic(sql, clinicId, operatorOf(options))),
    )
    if (!isDone) throw noSuchClinic()
    printResult({ clinic_id: clinicId, removed: true }, options, `Clinic ${clinicId} is removed`)
  })

export const clinicCommand = new Command('clinic')
  .description(descriptions.clinic)
  .addCommand(add)
  .addCommand(list)
  .addCommand(show)
  .addCommand(rename)
  .addCommand(newCode)
  .addCommand(invite)
  .addCommand(recount)
  .addCommand(remove)
