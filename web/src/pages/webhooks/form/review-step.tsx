import { Button, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import type { Topic } from '../../../../../src/events/catalogue.ts';
import { Callout } from '../../../components/callout.tsx';
import { Facts } from '../../../components/facts.tsx';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { ApiOnlyFacts, type ApiOnlySettings } from '../api-only-facts.tsx';
import { FocusList } from '../focus-list.tsx';
import { type Draft, effectiveSubtopics, type Step } from './draft.ts';
import styles from './form.module.css';

const texts = webhookEditing.review;

/** Everything that will be saved, each part with a link to its step. */
export function ReviewStep({
  draft,
  topic,
  secretStays,
  apiOnly,
  isNew,
  endsError,
  onChoose,
}: {
  draft: Draft;
  topic: Topic;
  secretStays: boolean;
  apiOnly: ApiOnlySettings;
  isNew: boolean;
  endsError: boolean;
  onChoose: (step: Step) => void;
}) {
  const events = effectiveSubtopics(draft).map((each) => webhooks.subtopics[each].name);
  return (
    <div className={styles.review}>
      {endsError && <Callout tone="info">{texts.endsError}</Callout>}
      <Part step="target" onChoose={onChoose}>
        <Facts
          items={[
            [texts.name, <bdi key="name">{draft.name.trim()}</bdi>],
            [texts.target, draft.targetUrl.trim()],
            [
              texts.authentication,
              draft.authentication === 'NONE'
                ? texts.none
                : `${texts.basic(draft.key)}. ${secretStays ? texts.secretStays : texts.secretNew}`,
            ],
            [texts.active, draft.enabled ? texts.yes : texts.no],
          ]}
        />
      </Part>
      <Part step="topic" onChoose={onChoose}>
        {webhooks.topics[topic].name}
      </Part>
      <Part step="events" onChoose={onChoose}>
        {draft.allSubtopics ? `${webhookEditing.events.all}: ${events.join(', ')}` : events.join(', ')}
      </Part>
      <Part step="focus" onChoose={onChoose}>
        {draft.focus.length === 0 ? (
          webhookEditing.focus.everythingOf[topic]
        ) : (
          <FocusList focus={draft.focus} />
        )}
      </Part>
      <section className={`${styles.part} ${styles.quiet}`} aria-label={webhookEditing.apiOnly.title}>
        <div className={styles.partHead}>
          <div>
            <Title order={3}>{webhookEditing.apiOnly.title}</Title>
            {isNew ? webhookEditing.apiOnly.defaults : webhookEditing.apiOnly.description}
          </div>
        </div>
        <ApiOnlyFacts settings={apiOnly} />
      </section>
    </div>
  );
}

function Part({
  step,
  onChoose,
  children,
}: {
  step: Step;
  onChoose: (step: Step) => void;
  children: ReactNode;
}) {
  const id = useId();
  const { name } = webhookEditing.steps[step];
  return (
    <section className={styles.part} aria-labelledby={id}>
      <div className={styles.partHead}>
        <Title order={3} id={id}>
          {name}
        </Title>
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => onChoose(step)}
          aria-label={texts.changeStep(name)}
        >
          {texts.change}
        </Button>
      </div>
      {children}
    </section>
  );
}
