import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { Facts } from '../../../components/facts.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Time } from '../../../components/time.tsx';
import { webhookDetails } from '../../../texts/webhook-details.ts';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { ApiOnlyFacts } from '../api-only-facts.tsx';
import { FocusList } from '../focus-list.tsx';
import { focusOf } from '../form/draft.ts';
import { SigningPanel } from './signing-panel.tsx';
import styles from './webhook-page.module.css';

const texts = webhookDetails.configuration;

/** The configuration of the webhook, including the settings that only the API can change. */
export function ConfigurationPanel({ record }: { record: WebhookRecord }) {
  const { authentication } = record;
  const events = record.subtopics.map((each) => webhooks.subtopics[each].name).join(', ');
  return (
    <div className={styles.panels}>
      <Panel title={texts.title}>
        <Facts
          items={[
            [texts.id, record.id],
            [texts.name, <bdi key="name">{record.name}</bdi>],
            [texts.target, record.target_url],
            [
              texts.authentication,
              authentication.type === 'NONE' ? texts.none : texts.basic(authentication.key),
            ],
            [texts.topic, webhooks.topics[record.topic].name],
            [texts.events, record.all_subtopics ? `${webhookEditing.events.all}: ${events}` : events],
            [
              texts.focus,
              record.focus.length === 0 ? (
                webhookEditing.focus.everythingOf[record.topic]
              ) : (
                <FocusList key="focus" focus={focusOf(record)} />
              ),
            ],
            [texts.created, <Time key="created" value={record.created_dt} format="absolute" />],
            [texts.updated, <Time key="updated" value={record.updated_dt} format="absolute" />],
          ]}
        />
      </Panel>
      <SigningPanel webhook={record} />
      <Panel title={webhookEditing.apiOnly.title} description={webhookEditing.apiOnly.description}>
        <ApiOnlyFacts settings={record} />
      </Panel>
    </div>
  );
}
