import { type Static, Type } from 'typebox';
import { DateTime, Id, Nullable, OptionalDateTime } from '../../http/schemas.ts';
import { END_REASONS } from '../firing.ts';
import { ConditionMember, NoticeRecord } from '../rules/alert-schemas.ts';

/** Whether an alert is firing or has ended. */
export const FiringState = Type.Enum(['FIRING', 'ENDED'], { title: 'AlertFiringState' });

/** An alert that is or was firing. */
export const FiringRecord = Type.Object(
  {
    id: Id('The id of the firing.'),
    alert_id: Type.Integer({ description: 'The alert rule, which may have been deleted.' }),
    alert_name: Type.String({ description: 'Its name when the alert began.' }),
    condition: ConditionMember,
    state: FiringState,
    name: Type.String({
      description:
        'The name of the webhook or of the part of the service. Admins who have signed in also see its host.',
    }),
    webhook_id: Nullable(Type.Integer({ description: 'Null if it is not about a webhook.' })),
    since_dt: DateTime('When the problem began.'),
    began_dt: DateTime('When the alert began, which is later by the `minutes` of the rule.'),
    cleared_dt: OptionalDateTime(
      'When the problem was over or no longer reported. The alert ends 5 minutes later, unless the problem returns.',
    ),
    ended_dt: OptionalDateTime(
      'When the problem was over for good, or no longer reported. Null while the alert is firing.',
    ),
    end_reason: Type.Union(
      [
        Type.Enum([...END_REASONS], { title: 'AlertEndReason', description: 'Why an alert ended.' }),
        Type.Null(),
      ],
      {
        description:
          'RESOLVED: the problem was over. NO_LONGER_REPORTED: the instance that reported it was stopped or fell silent, ' +
          'so nobody knows. All other reasons name what a person did. Null while the alert is firing.',
      },
    ),
    relapses: Type.Integer({ description: 'How often the problem returned before the alert ended.' }),
    reason: Nullable(
      Type.String({
        description:
          'The problem when the alert began: `403 Forbidden`. In an alert about the service, null for everyone but ' +
          'admins who have signed in.',
      }),
    ),
    explanation: Nullable(Type.String({ description: 'What the target said about it.' })),
    failures: Type.Integer({ description: 'Failed attempts until the alert began.' }),
    waiting: Type.Integer({ description: 'Messages in the line when the alert began.' }),
    notices: Type.Array(NoticeRecord, { description: 'What was sent about it. Empty during quiet hours.' }),
  },
  { title: 'AlertFiring', description: 'An alert that is or was firing.' },
);
export type FiringRecord = Static<typeof FiringRecord>;
