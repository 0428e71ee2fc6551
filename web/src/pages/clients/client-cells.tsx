import { SCOPES, type Scope } from '../../../../src/identity/scopes.ts';
import type { ApiClient } from '../../api/clients.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { clients as texts } from '../../texts/clients.ts';
import { capitalized } from '../../utilities/capitalized.ts';
import styles from './clients.module.css';
import { READS } from './read-scopes.ts';

/** The name and the id, with a button to copy the id. */
export function NameCell({ client: { name, client_id: id } }: { client: ApiClient }) {
  return (
    <div className={styles.who}>
      <bdi className={styles.name} title={name}>
        {name}
      </bdi>
      <div className={styles.id}>
        {id}
        <CopyButton value={id} label={texts.copyId(name)} />
      </div>
    </div>
  );
}

/** What the client may do, in a few words; the names of its scopes on hover. */
export function ScopesCell({ client: { scopes } }: { client: ApiClient }) {
  return <span title={scopes.join(' ')}>{scopesInWords(scopes)}</span>;
}

/** Whether the client may request tokens. */
export function StateCell({ client: { enabled } }: { client: ApiClient }) {
  return (
    <StatusBadge tone={enabled ? 'good' : 'quiet'}>
      {enabled ? texts.states.enabled : texts.states.disabled}
    </StatusBadge>
  );
}

/** What the scopes allow, in a few words. */
export function scopesInWords(scopes: readonly Scope[]): string {
  if (scopes.length === 0) return texts.nothing;
  if (scopes.length === SCOPES.length) return texts.all;
  if (scopes.length === READS.length && READS.every((scope) => scopes.includes(scope))) {
    return texts.readsOnly;
  }
  const words = scopes.map((scope) => texts.shortScopes[scope]).join(', ');
  return capitalized(words);
}
