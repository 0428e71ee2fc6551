import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { type Subtopic, subtopicsOf, topicOf } from '../../../../../src/events/catalogue.ts';
import { ApiError } from '../../../api/errors.ts';
import type { WebhookConfiguration, WebhookRecord } from '../../../api/webhook-records.ts';
import { testConfiguration } from '../../../api/webhooks.ts';
import { Callout } from '../../../components/callout.tsx';
import { FormProblem, fieldOf } from '../../../components/form-problem.tsx';
import { Panel } from '../../../components/panel.tsx';
import { UnsavedChanges } from '../../../components/unsaved-changes.tsx';
import { useSession, useWebhooksReadOnly } from '../../../session/session-context.ts';
import { shared } from '../../../texts/shared.ts';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { ApiOnlyFacts, apiOnlyDefaults } from '../api-only-facts.tsx';
import { configurationOf, type Draft, effectiveSubtopics, storedKeyOf } from './draft.ts';
import {
  draftErrors,
  type FieldErrors,
  fieldOfMember,
  secretMovesTarget,
  secretStays,
} from './draft-checks.ts';
import { EventFields } from './event-fields.tsx';
import { exampleMessage } from './example-message.ts';
import { ExamplePanel } from './example-panel.tsx';
import { FocusFields } from './focus-fields.tsx';
import styles from './form.module.css';
import { TargetFields } from './target-fields.tsx';

const NO_ERRORS: FieldErrors = {};
const { sections } = webhookEditing;

/** The form of a new webhook, or of `current`, on one page: its target, events and focus, and a test of them. */
export function WebhookForm({
  initial,
  current,
  saving,
  problem,
  notice,
  cancel,
  onSave,
}: {
  /** The draft with which the form starts. */
  initial: Draft;
  current: WebhookRecord | null;
  /** Also true after saving, because nothing can be lost then. */
  saving: boolean;
  /** The error of the last attempt to save. */
  problem: unknown;
  /** Shown above the form, such as a conflict to resolve. */
  notice?: ReactNode;
  cancel: LinkProps;
  onSave: (configuration: WebhookConfiguration) => void;
}) {
  const [draft, setDraft] = useState(initial);
  // Separate from the draft, so that no message or comparison contains it.
  const [secret, setSecret] = useState('');
  const [checked, setChecked] = useState(false);
  const [refused, setRefused] = useState(NO_ERRORS);
  const [attempt, setAttempt] = useState(0);
  const [chosen, setChosen] = useState<Subtopic | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const openedAt = useRef(new Date().toISOString()).current;
  const { email } = useSession().administrator;
  const readOnly = useWebhooksReadOnly();
  const test = useMutation({
    mutationFn: ({ configuration, subtopic }: { configuration: WebhookConfiguration; subtopic: Subtopic }) =>
      testConfiguration(configuration, current?.id, subtopic),
    onError: showRefusal,
  });

  const storedKey = storedKeyOf(current);
  const changed = secret !== '' || JSON.stringify(draft) !== JSON.stringify(initial);
  const errors = { ...(checked ? draftErrors(draft, secret, storedKey) : NO_ERRORS), ...refused };
  const subtopics = effectiveSubtopics(draft);
  const shown = shownSubtopic(draft, chosen, subtopics);
  const apiOnly = current ?? apiOnlyDefaults;

  /** Shows errors of members at their fields. They stay until something is changed. */
  function showRefusal(error: unknown): void {
    if (!(error instanceof ApiError) || error.errors.length === 0) return;
    setRefused(
      Object.fromEntries(
        error.errors.map(({ pointer, detail }) => [
          fieldOfMember(fieldOf(pointer)),
          detail.charAt(0).toUpperCase() + detail.slice(1),
        ]),
      ),
    );
    setAttempt((before) => before + 1);
  }
  const showProblem = useEffectEvent(showRefusal);
  useEffect(() => showProblem(problem), [problem]);

  // After the errors are rendered.
  const focusError = useEffectEvent(() => focusFirst(form.current, Object.keys(errors)));
  useEffect(() => {
    if (attempt > 0) focusError();
  }, [attempt]);

  const change = (next: Draft) => {
    setDraft(next);
    setRefused(NO_ERRORS);
    test.reset();
  };
  const changeMembers = (members: Partial<Draft>) => change({ ...draft, ...members });

  /** The configuration; null if it is invalid. Errors are then shown. */
  const checkedConfiguration = (): WebhookConfiguration | null => {
    setChecked(true);
    const { topic } = draft;
    if (topic !== null && Object.keys(draftErrors(draft, secret, storedKey)).length === 0)
      return configurationOf({ ...draft, topic }, secret, current);
    setAttempt((before) => before + 1);
    return null;
  };
  const save = () => {
    if (saving) return;
    const configuration = checkedConfiguration();
    if (configuration !== null) onSave(configuration);
  };
  const sendTest = () => {
    const configuration = checkedConfiguration();
    if (configuration !== null && shown !== null) test.mutate({ configuration, subtopic: shown });
  };

  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <UnsavedChanges when={changed && !saving} />
      {notice}
      {current?.in_error === true && (
        <div className={styles.notice}>
          <Callout tone="info">{webhookEditing.endsError}</Callout>
        </div>
      )}
      <div className={styles.layout}>
        <Panel title={sections.target}>
          <TargetFields
            draft={draft}
            secret={secret}
            secretStays={secretStays(draft, storedKey)}
            secretMoves={secretMovesTarget(draft, storedKey)}
            isNew={current === null}
            errors={errors}
            onChange={changeMembers}
            onSecret={(entered) => {
              setSecret(entered);
              setRefused(NO_ERRORS);
              test.reset();
            }}
          />
        </Panel>
        <Panel title={sections.events}>
          <EventFields draft={draft} errors={errors} shown={shown} onChange={change} onShow={setChosen} />
        </Panel>
        <div className={styles.beside}>
          <ExamplePanel
            subtopic={shown}
            message={
              shown === null
                ? null
                : exampleMessage(draft, shown, { id: current?.id, user: email, timestamp: openedAt, apiOnly })
            }
            readOnly={readOnly}
            signs={current !== null && current.signing_since_dt !== null}
            testing={test.isPending}
            result={test.data}
            problem={test.error}
            fields={Object.keys(errors)}
            onTest={sendTest}
          />
        </div>
        {draft.topic !== null && (
          <Panel title={sections.focus} description={webhookEditing.focus.optional}>
            <FocusFields draft={draft} topic={draft.topic} errors={errors} onChange={changeMembers} />
          </Panel>
        )}
        <Panel
          title={webhookEditing.apiOnly.title}
          description={
            current === null ? webhookEditing.apiOnly.defaults : webhookEditing.apiOnly.description
          }
        >
          <ApiOnlyFacts settings={apiOnly} />
        </Panel>
      </div>
      <div className={styles.foot}>
        <FormProblem error={problem} fields={Object.keys(errors)} />
        <div className={styles.buttons}>
          <Button variant="default" renderRoot={(props) => <Link {...cancel} {...props} />}>
            {shared.cancel}
          </Button>
          <Button type="submit" loading={saving}>
            {current === null ? webhookEditing.create : webhookEditing.save}
          </Button>
        </div>
      </div>
    </form>
  );
}

/** The event whose message is shown: the chosen one, or the first that is sent. */
function shownSubtopic(
  { topic }: Draft,
  chosen: Subtopic | null,
  selected: readonly Subtopic[],
): Subtopic | null {
  if (topic === null) return null;
  if (chosen !== null && topicOf(chosen) === topic) return chosen;
  return selected[0] ?? subtopicsOf(topic)[0] ?? null;
}

/** Focuses the first of these fields, in the order of the page. */
function focusFirst(form: HTMLFormElement | null, fields: readonly string[]): void {
  const places = [...(form?.querySelectorAll<HTMLElement>('[data-field]') ?? [])];
  const place = places.find((each) => fields.includes(each.dataset.field ?? ''));
  const control = place?.matches('input') ? place : place?.querySelector<HTMLElement>('input:enabled');
  control?.focus();
}
