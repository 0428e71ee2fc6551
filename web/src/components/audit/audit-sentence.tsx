import type { LinkProps } from '@tanstack/react-router';
import type { AuditEntry } from '../../api/audit.ts';
import { audit } from '../../texts/audit.ts';
import { addressOf } from '../asset-link.tsx';
import { AnchorLink } from '../links.tsx';
import styles from './audit-list.module.css';

const OF_ONESELF: readonly AuditEntry['action'][] = [
  'PASSWORD_SET',
  'PASSWORD_CHANGED',
  'SIGNED_IN',
  'SESSIONS_ENDED',
];

/** The page of a deleted webhook still shows its history. */
const LEAVES_NOTHING: readonly AuditEntry['action'][] = [
  'API_CLIENT_DELETED',
  'ADMINISTRATOR_DELETED',
  'ACCOUNT_DELETED',
  'REGISTRATION_DELETED',
  'COURSE_DELETED',
  'EQUIVALENT_DELETED',
  'BUNDLE_DELETED',
  'FOLDER_DELETED',
  'ALERT_DELETED',
];

/** “Ada Admin changed webhook CRM”, with links to the webhook and to what Ada did. */
export function AuditSentence({ entry }: { entry: AuditEntry }) {
  const { action, actor, object } = entry;
  const isKnown = object.id !== null;
  const words = isKnown ? audit.sentences[action] : audit.unknownAddress;
  return (
    <p className={styles.sentence}>
      <ActorName actor={actor} /> {words}
      {isKnown && !OF_ONESELF.includes(action) && (
        <>
          {' '}
          {audit.inSentence[object.type]} <ObjectName entry={entry} />
        </>
      )}
      <span className={styles.source}>
        {[actor.type === 'API_CLIENT' ? audit.viaClient : null, sourceOf(actor)]
          .filter((part) => part !== null)
          .map((part) => ` · ${part}`)
          .join('')}
      </span>
    </p>
  );
}

function sourceOf({ name, user, address }: AuditEntry['actor']): string | null {
  const parts = [name === null ? null : user, address === null ? null : audit.from(address)];
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.join(' ');
}

function ActorName({ actor: { type, name, user } }: { actor: AuditEntry['actor'] }) {
  const shown = name ?? user;
  if (shown === null) return <span className={styles.actor}>{audit.unnamed[type]}</span>;
  if (user === null) return <bdi className={styles.actor}>{shown}</bdi>;
  return (
    <AnchorLink className={styles.actor ?? ''} to="/administration/audit-log" search={{ user } as never}>
      <bdi>{shown}</bdi>
    </AnchorLink>
  );
}

function ObjectName({ entry: { action, object } }: { entry: AuditEntry }) {
  const name = <bdi>{object.name ?? object.id}</bdi>;
  const link = LEAVES_NOTHING.includes(action) ? null : pageOf(object);
  if (link === null) return <span className={styles.object}>{name}</span>;
  return <AnchorLink {...link}>{name}</AnchorLink>;
}

function pageOf({ type, id }: AuditEntry['object']): LinkProps | null {
  if (id === null) return null;
  switch (type) {
    case 'WEBHOOK':
      return {
        to: '/administration/integrations/webhooks/$webhookId',
        params: { webhookId: Number(id) },
      };
    case 'API_CLIENT':
      return { to: '/administration/integrations/clients', search: { search: id } as never };
    case 'ADMINISTRATOR':
      return { to: '/administration/administrators' };
    case 'ACCOUNT':
      return { to: '/accounts/$accountId', params: { accountId: Number(id) } };
    case 'LEARNER':
      return null;
    case 'REGISTRATION':
      return { to: '/registrations/$registrationId', params: { registrationId: id } };
    case 'ALERT':
      return { to: '/administration/alerts/$alertId', params: { alertId: Number(id) } };
    case 'COURSE':
    case 'EQUIVALENT':
    case 'BUNDLE':
    case 'FOLDER':
      return addressOf(type, Number(id));
  }
}
