import type { TRPCRequestOptions } from '@trpc/client'
import { rawOptions } from './call-options.ts'
import type { CallOptions } from './call-options.ts'
import type { UpdateChildInput } from './types.ts'

/* Some generated methods send more than their input; sdk/generator/special-operations.ts lists them. */

/** The service takes the child's id twice, in the path and in the body. */
export const childChanges = (input: UpdateChildInput) => ({ ...input, id: input.real_user_id })

export interface UploadOptions extends CallOptions {
  /** Store the good logs and set the bad ones aside, instead of all or nothing; `results` says which is which. */
  lenient?: boolean | undefined
}

export const uploadOptions = ({ lenient, ...options }: UploadOptions = {}): TRPCRequestOptions =>
  rawOptions(options, lenient ? { prefer: 'handling=lenient' } : {})
