import type { Child, Device } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { keys } from '../companion/keys'
import { useLanguage } from '../i18n/language'
import { AskFirst } from '../ui/ask-first'
import { Failure } from '../ui/failure'
import { Words } from '../ui/words'

/** Deletes a child with all that was recorded of it. The service asks for a device that the child wears. */
export function DeleteChild({ child, device }: { child: Child; device: Device | undefined }) {
  const { t } = useLanguage()
  const navigation = useNavigation()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: (unique_id: string) => companion.children.delete({ real_user_id: child.id, unique_id }),
    // Unless the parent has left meanwhile. The children that are loaded next unmount this: `mutate` would not tell.
    onSuccess: () => navigation.isFocused() && navigation.goBack(),
    // A refusal may mean that another phone was faster.
    onSettled: async (done) => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: keys.children }),
        queries.invalidateQueries({ queryKey: keys.devices }),
      ])
      // Nor does this phone keep charts and days of a child that is gone.
      if (done) queries.removeQueries({ predicate: ({ queryKey }) => queryKey[2] === child.id })
    },
  })
  if (!device) return <Words tone="muted">{t.children.deleteNeedsDevice}</Words>
  return (
    <>
      <Failure error={remove.error} />
      <AskFirst
        label={t.children.delete}
        question={t.children.deleteQuestion(child.first_name)}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(device.unique_id)}
      />
    </>
  )
}
