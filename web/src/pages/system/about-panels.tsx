import type { Health } from '../../api/health.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Facts } from '../../components/facts.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { system } from '../../texts/system.ts';
import { formatBytes } from '../../utilities/numbers.ts';
import styles from './system.module.css';

/** The version of the program, the machine, and since when it has been running. */
export function InstancePanel({ health }: { health: Health }) {
  const texts = system.instance;
  return (
    <Panel title={texts.title} description={texts.several}>
      <Facts
        items={[
          [texts.version, health.version],
          [texts.node, health.node_version],
          [texts.host, <bdi key="host">{health.host_name}</bdi>],
          [
            texts.id,
            <span key="id" className={styles.withButton}>
              <code className={styles.code}>{health.instance}</code>
              <CopyButton value={health.instance} label={texts.copyId} />
            </span>,
          ],
          [
            texts.started,
            <span key="started">
              <Time value={health.started_dt} format="absolute" /> (<Time value={health.started_dt} />)
            </span>,
          ],
        ]}
      />
    </Panel>
  );
}

/** Where data is stored, and how messages are queued. */
export function StoragePanel({ health }: { health: Health }) {
  const texts = system.storage;
  const { database, content_store: contentStore, queue } = health;
  return (
    <Panel title={texts.title}>
      <Facts
        items={[
          [texts.database, named(texts.engines, database.engine)],
          [texts.size, database.size_bytes === null ? texts.unknownSize : formatBytes(database.size_bytes)],
          [texts.content, texts.stores[contentStore.kind]],
          [texts.queue, named(texts.queues, queue.engine)],
        ]}
      />
    </Panel>
  );
}

function named(names: Readonly<Record<string, string>>, engine: string): string {
  return names[engine] ?? engine;
}
