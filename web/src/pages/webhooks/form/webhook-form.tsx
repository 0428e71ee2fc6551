import type { LinkProps } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import type { Subtopic } from '../../../../../src/events/catalogue.ts';
import type { WebhookConfiguration, WebhookRecord } from '../../../api/webhook-records.ts';
import { Callout } from '../../../components/callout.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { ButtonLink } from '../../../components/links.tsx';
import { Panel } from '../../../components/panel.tsx';
import { SaveButton } from '../../../components/save-button.tsx';
import { UnsavedChanges } from '../../../components/unsaved-changes.tsx';
import { useSession, useWebhooksReadOnly } from '../../../session/session-context.ts';
import { shared } from '../../../texts/shared.ts';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { ApiOnlyFacts, apiOnlyDefaults } from '../api-only-facts.tsx';
import { type Draft, shownSubtopic, storedKeyOf } from './draft.ts';
import { DRAFT_FIELDS, secretMovesTarget, secretStays } from './draft-checks.ts';
import { EventFields } from './event-fields.tsx';
import { exampleMessage } from './example-message.ts';
import { ExamplePanel } from './example-panel.tsx';
import { FocusFields } from './focus-fields.tsx';
import styles from './form.module.css';
import { TargetFields } from './target-fields.tsx';
import { useWebhookDraft } from './use-webhook-draft.ts';

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
  cancel: Pick<LinkProps, 'to' | 'params'>;
  onSave: (configuration: WebhookConfiguration) => void;
}) {
  const { form, draft, secret, errors, changed, change, changeSecret, checkedConfiguration, test } =
    useWebhookDraft(initial, current, problem);
  const [chosen, setChosen] = useState<Subtopic | null>(null);
  const openedAt = useRef(new Date().toISOString()).current;
  const { email } = useSession().administrator;
  const readOnly = useWebhooksReadOnly();
  const storedKey = storedKeyOf(current);
  const shown = shownSubtopic(draft, chosen);
  const apiOnly = current ?? apiOnlyDefaults;

  const changeMembers = (members: Partial<Draft>) => change({ ...draft, ...members });
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
            onSecret={changeSecret}
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
        <FormProblem error={problem} fields={DRAFT_FIELDS} />
        <div className={styles.buttons}>
          <ButtonLink variant="default" {...cancel} activeOptions={{ exact: true }}>
            {shared.cancel}
          </ButtonLink>
          <SaveButton saving={saving}>
            {current === null ? webhookEditing.create : webhookEditing.save}
          </SaveButton>
        </div>
      </div>
    </form>
  );
}
