import { useQueryClient } from '@tanstack/react-query'
import { PersonForm } from '../account/person-form'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useAccount } from '../companion/queries'
import { Loaded } from '../ui/loaded'
import { Page } from '../ui/page'

export function ProfileScreen() {
  const queries = useQueryClient()
  const account = useAccount()
  return (
    <Page hasHeader>
      <Loaded query={account}>
        {(known) => (
          <PersonForm
            who="parent"
            known={known}
            save={async (person) => {
              await companion.account.update(person)
              await queries.invalidateQueries({ queryKey: cacheKeys.account })
            }}
          />
        )}
      </Loaded>
    </Page>
  )
}
