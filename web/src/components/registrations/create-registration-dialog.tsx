import { Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { RegistrationInput } from '../../../../src/content/registrations/registration-schemas.ts';
import { MAX_LEARNER_ID_LENGTH } from '../../../../src/text-lengths.ts';
import { assetSearchQuery, assetsByIdQuery } from '../../api/assets.ts';
import { isConflict } from '../../api/errors.ts';
import { createRegistration, registrationsKey } from '../../api/registrations.ts';
import { useLeave } from '../../navigation/use-leave.ts';
import { registrations } from '../../texts/registrations.ts';
import { lengthOf } from '../../utilities/length-of.ts';
import type { ChosenAsset } from '../content-dialog/asset-field.tsx';
import { Dialog } from '../dialog.tsx';
import { errorsAt } from '../field-errors.ts';
import { FormButtons } from '../form-buttons.tsx';
import { FormProblem } from '../form-problem.tsx';
import { AnchorLink } from '../links.tsx';
import { notifyDone } from '../notify.tsx';
import { useFormMutation } from '../use-form-mutation.ts';
import { useIdempotencyKey } from '../use-idempotency-key.ts';
import { AccountField, SubjectField } from './registration-fields.tsx';
import { type Faults, useFaults } from './use-faults.ts';

const FIELDS = ['account_id', 'course_id', 'learner_id'] as const;
/** The members of the API that are entered in these fields. */
const MEMBERS = [...FIELDS, 'equivalent_id'] as const;
const texts = registrations.create;

/** Registers a learner for a course or an equivalent, and opens the registration. */
export function CreateRegistrationDialog({
  opened,
  onClose,
  ...given
}: {
  /** The preselected account. */
  accountId?: number | undefined;
  courseId?: number | undefined;
  opened: boolean;
  onClose: () => void;
}) {
  const [choosing, setChoosing] = useState(false);
  return (
    // Escape closes only the front dialog.
    <Dialog
      opened={opened}
      onClose={onClose}
      closeOnClickOutside={false}
      closeOnEscape={!choosing}
      title={texts.title}
    >
      <CreateForm {...given} onChoosing={setChoosing} onClose={onClose} />
    </Dialog>
  );
}

function CreateForm({
  accountId,
  courseId,
  onChoosing,
  onClose,
}: {
  accountId?: number | undefined;
  courseId?: number | undefined;
  onChoosing: (choosing: boolean) => void;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const leave = useLeave();
  const [account, setAccount] = useState<ChosenAsset[]>(
    accountId === undefined ? [] : [{ type: 'ACCOUNT', id: accountId, name: null }],
  );
  const [course, setCourse] = useState<ChosenAsset[]>(
    courseId === undefined ? [] : [{ type: 'COURSE', id: courseId, name: null }],
  );
  const [learner, setLearner] = useState('');
  const { faults, show, correct, place, focus } = useFaults(FIELDS);
  const keyFor = useIdempotencyKey();
  const notHeld = useNotHeld(account[0], course[0]);
  const create = useFormMutation({
    mutationFn: (body: RegistrationInput) => createRegistration(body, keyFor(body)),
    onSuccess: async ({ registration_id: registrationId, learner_id }) => {
      notifyDone(texts.done(learner_id));
      await leave({ to: '/registrations/$registrationId', params: { registrationId }, replace: true });
      await queryClient.invalidateQueries({ queryKey: registrationsKey });
    },
    onError: (error) => show(faultsIn(error)),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    const [account_id, subject, learner_id] = [account[0]?.id, course[0], learner.trim()];
    const learnerFault = learnerFaultOf(learner_id);
    if (account_id === undefined || subject === undefined || learnerFault !== null) {
      show({
        ...(account_id === undefined ? { account_id: texts.checks.account } : {}),
        ...(subject === undefined ? { course_id: texts.checks.course } : {}),
        ...(learnerFault === null ? {} : { learner_id: learnerFault }),
      });
      return;
    }
    if (notHeld !== null) {
      focus('course_id');
      return;
    }
    show({});
    create.mutate({
      account_id,
      ...(subject.type === 'EQUIVALENT' ? { equivalent_id: subject.id } : { course_id: subject.id }),
      learner_id,
    });
  };
  const refusedAccount = isConflict(create.error) ? account[0] : undefined;
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <FormProblem error={create.error} fields={MEMBERS} />
        {refusedAccount !== undefined && <AccountLink accountId={refusedAccount.id} />}
        <div ref={place('account_id')}>
          <AccountField
            value={account}
            error={faults.account_id}
            onOpenChange={onChoosing}
            onChange={(value) => {
              setAccount(value);
              correct('account_id');
            }}
          />
        </div>
        <div ref={place('course_id')}>
          <SubjectField
            accountId={account[0]?.id ?? null}
            value={course}
            error={faults.course_id ?? notHeld ?? undefined}
            onOpenChange={onChoosing}
            onChange={(value) => {
              setCourse(value);
              correct('course_id');
            }}
          />
        </div>
        <div ref={place('learner_id')}>
          <TextInput
            label={texts.learner}
            description={texts.learnerDescription}
            autoComplete="off"
            value={learner}
            onChange={({ currentTarget }) => {
              setLearner(currentTarget.value);
              correct('learner_id');
            }}
            error={faults.learner_id}
            data-autofocus={accountId !== undefined && courseId !== undefined ? true : undefined}
          />
        </div>
        <Text size="sm" c="dimmed">
          {texts.event}
        </Text>
        <FormButtons submit={texts.submit} pending={create.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function learnerFaultOf(id: string): string | null {
  if (id === '') return texts.checks.learner;
  return lengthOf(id) > MAX_LEARNER_ID_LENGTH ? texts.checks.learnerLength : null;
}

function AccountLink({ accountId }: { accountId: number }) {
  return (
    <AnchorLink size="sm" to="/accounts/$accountId" params={{ accountId }}>
      {texts.toAccount}
    </AnchorLink>
  );
}

/** Shows the errors of the service at the fields. */
function faultsIn(error: unknown): Faults<(typeof FIELDS)[number]> {
  const { equivalent_id, ...others } = errorsAt(error, MEMBERS);
  // Courses and equivalents are chosen in the same field.
  return equivalent_id === undefined ? others : { ...others, course_id: equivalent_id };
}

/**
 * Why the learner cannot be registered for the chosen content: another account was chosen, which does not have it. The
 * content stays chosen, so that nothing changes unnoticed. Null if the account has it, or while that is unknown.
 */
function useNotHeld(account: ChosenAsset | undefined, chosen: ChosenAsset | undefined): string | null {
  const isKnown = account !== undefined && chosen !== undefined;
  const found = useQuery({
    ...assetSearchQuery(
      chosen === undefined ? [] : [chosen.type],
      String(chosen?.id ?? ''),
      account?.id ?? null,
    ),
    enabled: isKnown,
  });
  const named = useQuery(
    assetsByIdQuery(
      [account, chosen].flatMap((each) => (each === undefined ? [] : [{ type: each.type, id: each.id }])),
    ),
  );
  if (!isKnown || found.data === undefined || found.data.some(({ id }) => id === chosen.id)) return null;
  const nameOf = ({ type, id, name }: ChosenAsset) =>
    name ?? named.data?.find((each) => each.type === type && each.id === id)?.name ?? String(id);
  return texts.checks.notHeld(nameOf(chosen), nameOf(account));
}
