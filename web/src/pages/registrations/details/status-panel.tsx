import { Button, Group, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useRef, useState } from 'react';
import { isOutdated } from '../../../api/errors.ts';
import {
  type Completion,
  type Registration,
  type RegistrationWithUnits,
  registrationQuery,
  registrationsKey,
  type Success,
  updateRegistrationStatus,
} from '../../../api/registrations.ts';
import { type Read, readRecord } from '../../../api/request.ts';
import { Callout } from '../../../components/callout.tsx';
import { Facts } from '../../../components/facts.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { Panel } from '../../../components/panel.tsx';
import { formatClock, formatScore } from '../../../components/registrations/results.ts';
import { SaveButton } from '../../../components/save-button.tsx';
import { UnsavedChanges } from '../../../components/unsaved-changes.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { registrations } from '../../../texts/registrations.ts';
import styles from '../registrations.module.css';
import {
  afterSaving,
  COMPLETION_OPTIONS,
  type DraftFaults,
  draftOf,
  faultsOf,
  isSameStatus,
  type StatusDraft,
  SUCCESS_OPTIONS,
  statusInWords,
  statusOf,
} from './status-draft.ts';

const texts = registrations.status;

/** The learner's results; administrators can correct them. */
export function StatusPanel({ read }: { read: Read<Registration> }) {
  const isAdmin = useIsAdmin();
  const { completion, success, score, duration } = read.record;
  return (
    <Panel title={texts.title} description={texts.description}>
      {isAdmin ? (
        <StatusForm read={read} />
      ) : (
        <Facts
          items={[
            [texts.completion, texts.completions[completion]],
            [texts.success, texts.successes[success]],
            [texts.score, formatScore(score)],
            [texts.duration, formatClock(duration)],
          ]}
        />
      )}
    </Panel>
  );
}

/** The input, and the status when editing started. */
interface Edit {
  draft: StatusDraft;
  basis: Read<Registration>;
}

/** Undone input is not an edit: the form shows reported results again. */
function editFrom(basis: Read<Registration>, draft: StatusDraft): Edit | null {
  return isSameStatus(draft, draftOf(basis.record)) ? null : { draft, basis };
}

/** Shows reported results until something is edited. From then on, it keeps the input. */
function StatusForm({ read }: { read: Read<Registration> }) {
  const queryClient = useQueryClient();
  const id = read.record.registration_id;
  const [edit, setEdit] = useState<Edit | null>(null);
  const [faults, setFaults] = useState<DraftFaults>({});
  const [conflict, setConflict] = useState<Read<RegistrationWithUnits> | null>(null);
  const fields = useRef<Partial<Record<'score' | 'duration', HTMLInputElement | null>>>({});
  const current = draftOf(read.record);
  const draft = edit?.draft ?? current;
  const isChanged = edit !== null;
  const submitButton = useRef<HTMLButtonElement>(null);
  const save = useFormMutation({
    mutationFn: async ({ draft: entered, basis }: Edit) => {
      for (let known = basis; ; ) {
        try {
          return await updateRegistrationStatus(id, statusOf(entered), known.etag);
        } catch (error) {
          if (!isOutdated(error)) throw error;
          const latest = await readRecord<RegistrationWithUnits>(`/registrations/${id}`);
          // Only the attempt or its units have changed, for example because the learner has opened the course.
          const isSame = isSameStatus(draftOf(latest.record), draftOf(basis.record));
          if (!isSame) setConflict(latest);
          if (!isSame || latest.etag === known.etag) throw error;
          known = latest;
        }
      }
    },
    onSuccess: (saved, sent) => {
      notifyDone(texts.saved);
      queryClient.setQueryData<Read<RegistrationWithUnits>>(
        registrationQuery(id).queryKey,
        (before) => before && { record: { ...before.record, ...saved.record }, etag: saved.etag },
      );
      setEdit((now) => now && editFrom(saved, afterSaving(now.draft, sent.draft, draftOf(saved.record))));
      // Not awaited: what was saved is known, even if nothing can be read now.
      void queryClient.invalidateQueries({ queryKey: registrationsKey });
    },
  });
  const change = (members: Partial<StatusDraft>) => {
    const basis = edit?.basis ?? read;
    const entered = { ...draft, ...members };
    // While the former input is saved, input that undoes it is a change.
    setEdit(save.isPending ? { draft: entered, basis } : editFrom(basis, entered));
    setFaults((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !(name in members))));
  };
  const discard = () => {
    setEdit(null);
    setFaults({});
    setConflict(null);
    save.reset();
    // The button that was pressed disappears.
    submitButton.current?.focus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (edit === null || save.isPending || conflict !== null) return;
    const found = faultsOf(draft);
    setFaults(found);
    const first = found.score !== undefined ? 'score' : found.duration !== undefined ? 'duration' : null;
    if (first !== null) fields.current[first]?.focus();
    else save.mutate(edit);
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        {conflict !== null ? (
          <Callout tone="warn" title={texts.conflict.title} live>
            <p className={styles.note}>{texts.conflict.description(statusInWords(conflict.record))}</p>
            <Group gap="sm" mt="sm">
              <Button
                size="xs"
                variant="default"
                onClick={() => {
                  setEdit({ draft, basis: conflict });
                  setConflict(null);
                  save.reset();
                }}
              >
                {texts.conflict.keep}
              </Button>
              <Button
                size="xs"
                variant="default"
                onClick={() => {
                  queryClient.setQueryData(registrationQuery(id).queryKey, conflict);
                  discard();
                }}
              >
                {texts.conflict.take}
              </Button>
            </Group>
          </Callout>
        ) : (
          <FormProblem error={save.error} />
        )}
        <Choice
          label={texts.completion}
          value={draft.completion}
          options={COMPLETION_OPTIONS}
          onChange={(completion) => change({ completion: completion as Completion })}
        />
        <Choice
          label={texts.success}
          value={draft.success}
          options={SUCCESS_OPTIONS}
          onChange={(success) => change({ success: success as Success })}
        />
        <div className={styles.fields}>
          <TextInput
            ref={(element) => {
              fields.current.score = element;
            }}
            label={texts.score}
            description={texts.scoreDescription}
            inputMode="decimal"
            autoComplete="off"
            value={draft.score}
            onChange={({ currentTarget }) => change({ score: currentTarget.value })}
            error={faults.score}
          />
          <TextInput
            ref={(element) => {
              fields.current.duration = element;
            }}
            label={texts.duration}
            description={texts.durationDescription}
            autoComplete="off"
            value={draft.duration}
            onChange={({ currentTarget }) => change({ duration: currentTarget.value })}
            error={faults.duration}
          />
        </div>
        <p className={styles.note}>{texts.event}</p>
        <Group gap="sm">
          <SaveButton ref={submitButton} saving={save.isPending} canSave={isChanged && conflict === null}>
            {texts.save}
          </SaveButton>
          {isChanged && (
            <Button variant="default" disabled={save.isPending} onClick={discard}>
              {texts.discard}
            </Button>
          )}
        </Group>
      </Stack>
      <UnsavedChanges when={isChanged && !(save.isPending && save.variables === edit)} />
    </form>
  );
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: { value: string; label: string }[];
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div>
      <div id={id} className={styles.label}>
        {label}
      </div>
      <SegmentedControl
        aria-labelledby={id}
        value={value}
        onChange={onChange}
        data={options}
        className={styles.choice ?? ''}
      />
    </div>
  );
}
