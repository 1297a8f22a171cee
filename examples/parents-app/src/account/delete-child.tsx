import type { Child, Device } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { keys } from '../companion/keys'
import { useLanguage } from '../i18n/language'
import { AskFirst } from '../ui/ask-first'
import { Failure } from '../ui/failure'
import { Words } from '../ui/words'

/** Deletes a child and all their records. The service requires the id of a device that the child wears. */
export function DeleteChild({ child, device }: { child: Child; device: Device | undefined }) {
  const { t } = useLanguage()
  const navigation = useNavigation()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: (unique_id: string) => companion.children.delete({ real_user_id: child.id, unique_id }),
    // Only if the parent is still here. `mutate` would drop a callback, because reloading the children unmounts this.
    onSuccess: () => navigation.isFocused() && navigation.goBack(),
    // Also after an error: another phone may have deleted the child.
    onSettled: async (done) => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: keys.children }),
        queries.invalidateQueries({ queryKey: keys.devices }),
      ])
      // This phone drops the charts and days of the deleted child too.
      if (done) queries.removeQueries({ predicate: ({ queryKey }) => queryKey[2] === child.id })
    },
  })
  const unique_id = device?.unique_id
  if (!unique_id) return <Words tone="muted">{t.children.deleteNeedsDevice}</Words>
  return (
    <>
      <Failure error={remove.error} />
      <AskFirst
        label={t.children.delete}
        question={t.children.deleteQuestion(child.first_name)}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(unique_id)}
      />
    </>
  )
}
