import { SegmentedControl, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { CodeBlock } from '../../../components/code-block.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { deliveries } from '../../../texts/deliveries.ts';
import { formatBytes } from '../../../utilities/numbers.ts';
import { curlCommand } from './curl.ts';
import styles from './history.module.css';

const texts = deliveries.details;
const JSON_INDENT = 2;

/** Messages are JSON without white space, so serializing one again returns exactly the bytes that are sent. */
export function MessageSection({
  message,
  messageId,
  webhook,
}: {
  /** The body of the postback. */
  message: unknown;
  messageId: string;
  /** Null while it is unknown, or if the webhook was deleted. */
  webhook: WebhookRecord | null;
}) {
  const [asSent, setAsSent] = useState(false);
  const body = JSON.stringify(message);
  const curl = curlCommand({
    targetUrl: webhook?.target_url ?? targetOf(message),
    messageId,
    body,
    withCredentials: webhook?.authentication.type === 'BASIC',
  });
  return (
    <Section
      title={texts.message}
      aside={formatBytes(new TextEncoder().encode(body).length)}
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={texts.messageView}
            value={asSent ? 'sent' : 'readable'}
            onChange={(value) => setAsSent(value === 'sent')}
            data={[
              { value: 'readable', label: texts.readable },
              { value: 'sent', label: texts.asSent },
            ]}
          />
          <CopyButton value={body} label={texts.copyMessage} />
        </>
      }
    >
      <CodeBlock label={texts.message} wrap={asSent}>
        {asSent ? body : JSON.stringify(message, null, JSON_INDENT)}
      </CodeBlock>
      <div className={styles.below}>
        <CopyButton value={curl} label={texts.copyCurl} wide />
        {webhook?.authentication.type === 'BASIC' && <span className={styles.dim}>{texts.curlHint}</span>}
      </div>
    </Section>
  );
}

/** JSON with line breaks. Any other text, and truncated JSON, is unchanged. */
export function prettyPrinted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, JSON_INDENT);
  } catch {
    return body;
  }
}

/** A section of a drawer, with a heading. */
export function Section({
  title,
  aside,
  actions,
  children,
}: {
  title: string;
  aside?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <div className={styles.sectionHead}>
        <Title order={3}>
          {title} {aside !== undefined && <span className={styles.dim}>· {aside}</span>}
        </Title>
        <div className={styles.sectionActions}>{actions}</div>
      </div>
      {children}
    </section>
  );
}

/** The target in the message, which is all that is known about a deleted webhook. */
function targetOf(message: unknown): string {
  if (typeof message !== 'object' || message === null || !('target_url' in message)) return '';
  return String(message.target_url);
}
