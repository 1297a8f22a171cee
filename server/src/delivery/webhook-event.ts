import { z } from 'zod'

const timestamp = z.string().meta({ format: 'date-time', description: 'When the message was made' })

/** There are changes. It holds none itself, nor whose they are. */
export const changesAvailableSchema = z
  .object({
    type: z.literal('changes.available').meta({ description: 'What the message is about' }),
    timestamp,
    data: z
      .object({
        cursor: z.string().meta({
          description: 'The `after` that shows the news with `GET /api/v1/beta/changes`',
          examples: ['WyI4MTIiLCIwIl0'],
        }),
      })
      .meta({ description: 'Where the news begin' }),
  })
  .meta({
    description: 'There are changes: ask for those behind the cursor that you keep',
  })

/** Asks the receiver whether it is the one that the webhook is for. */
export const webhookVerificationSchema = z
  .object({
    type: z.literal('webhook.verify').meta({ description: 'What the message is about' }),
    timestamp,
    data: z
      .object({
        challenge: z.string().meta({
          description: 'What the receiver answers',
          examples: ['lSCW5Nn1mQ2cZ7vJ0yXkP4rT8uBaEoGdHfKiLsMxVqY'],
        }),
      })
      .meta({ description: 'What it is asked' }),
  })
  .meta({
    description: 'The service asks whether you are the one: repeat the challenge',
  })

/** How a receiver verifies itself. */
export const webhookChallengeResponseSchema = z
  .object({ challenge: webhookVerificationSchema.shape.data.shape.challenge })
  .meta({ description: 'The challenge again' })

export type WebhookEvent = z.infer<typeof changesAvailableSchema | typeof webhookVerificationSchema>
