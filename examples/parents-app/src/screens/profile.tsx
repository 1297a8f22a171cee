import { useQueryClient } from '@tanstack/react-query'
import { PersonForm } from '../account/person-form'
import { companion } from '../companion/client'
import { keys } from '../companion/keys'
import { useAccount } from '../companion/queries'
import { Answered } from '../ui/answered'
import { Page } from '../ui/page'

export function ProfileScreen() {
  const queries = useQueryClient()
  const account = useAccount()
  return (
    <Page hasHeader>
      <Answered query={account}>
        {(known) => (
          <PersonForm
            who="parent"
            known={known}
            save={async (person) => {
              await companion.account.update(person)
              await queries.invalidateQueries({ queryKey: keys.account })
            }}
          />
        )}
      </Answered>
    </Page>
  )
}
