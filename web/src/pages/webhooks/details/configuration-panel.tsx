import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { Panel } from '../../../components/panel.tsx';
import { Time } from '../../../components/time.tsx';
import { webhookDetails } from '../../../texts/webhook-details.ts';
import { webhookForm } from '../../../texts/webhook-form.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { ApiOnlyFacts } from '../api-only-facts.tsx';
import { Facts } from '../facts.tsx';
import { FocusList } from '../focus-list.tsx';
import styles from './webhook-page.module.css';

const texts = webhookDetails.configuration;

/** What the webhook is set to, and what only the API sets. */
export function ConfigurationPanel({
  record,
  allSubtopics,
}: {
  record: WebhookRecord;
  allSubtopics: boolean;
}) {
  const { authentication } = record;
  const events = record.subtopics.map((each) => webhooks.subtopics[each].name).join(', ');
  return (
    <div className={styles.panels}>
      <Panel title={texts.title}>
        <Facts
          items={[
            [texts.id, record.id],
            [webhookForm.review.name, <bdi key="name">{record.name}</bdi>],
            [webhookForm.review.target, record.target_url],
            [
              webhookForm.review.authentication,
              authentication.type === 'NONE'
                ? webhookForm.review.none
                : webhookForm.review.basic(authentication.key),
            ],
            [webhookForm.review.topic, webhooks.topics[record.topic].name],
            [webhookForm.review.events, allSubtopics ? `${webhookForm.events.all}: ${events}` : events],
            [
              webhookForm.review.focus,
              record.focus.length === 0 ? (
                webhookForm.focus.everythingOf[record.topic]
              ) : (
                <FocusList
                  key="focus"
                  focus={record.focus.map((each) => ({
                    type: each.webhook_focus_type,
                    id: each.webhook_focus_id,
                    name: each.webhook_focus_name,
                  }))}
                />
              ),
            ],
            [texts.created, <Time key="created" value={record.created_dt} format="absolute" />],
            [texts.updated, <Time key="updated" value={record.updated_dt} format="absolute" />],
          ]}
        />
      </Panel>
      <Panel title={webhookForm.apiOnly.title} description={webhookForm.apiOnly.description}>
        <ApiOnlyFacts settings={record} />
      </Panel>
    </div>
  );
}
