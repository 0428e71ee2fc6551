import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { AuditItem } from '../../../../src/audit/field-changes.ts';
import type { AuditEntry } from '../../api/audit.ts';
import { alerts } from '../../texts/alerts.ts';
import { audit } from '../../texts/audit.ts';
import { content } from '../../texts/content.ts';
import { navigation } from '../../texts/navigation.ts';
import { registrations } from '../../texts/registrations.ts';
import { shared } from '../../texts/shared.ts';
import { webhookEditing } from '../../texts/webhook-editing.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { formatDateTime } from '../../utilities/times.ts';
import styles from './audit-list.module.css';

type Change = AuditEntry['changes'][number];
type Value = AuditItem;

/** Maximum number of rows at first. An entry about a new or deleted object lists all of its fields. */
const SHOWN = 10;
const SHOWN_OF_ALL_FIELDS = 4;
const MAX_ITEMS = 20;
/** Fields whose values have names on other pages. */
const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'authentication.type': { NONE: webhookEditing.fields.none, BASIC: webhookEditing.fields.basic },
  completion: registrations.status.completions,
  condition: namesOf(alerts.conditions),
  learning_standard: content.standards,
  logging_mode: webhookEditing.apiOnly.loggingModes,
  role: navigation.roles,
  subtopic: namesOf(webhooks.subtopics),
  subtopics: namesOf(webhooks.subtopics),
  success: registrations.status.successes,
  'target.format': alerts.formats,
  topic: namesOf(webhooks.topics),
};

function nameOf(field: string, { object }: AuditEntry): string {
  const named = field === 'enabled' ? audit.enabled[object.type] : undefined;
  return named ?? audit.fields[field] ?? field;
}

/** The changed fields with their old and new values, and further facts. */
export function AuditChanges({ entry }: { entry: AuditEntry }) {
  const [expanded, setExpanded] = useState(false);
  const rows = [
    ...Object.entries(entry.details)
      .filter(([, value]) => value !== false)
      .map(([name, value]): [string, ReactNode] => [
        audit.details[name] ?? name,
        <bdi key="value">{valueText(name, value)}</bdi>,
      ]),
    ...entry.changes.map((change): [string, ReactNode] => [
      nameOf(change.field, entry),
      <ChangeText key="change" change={change} />,
    ]),
  ];
  if (rows.length === 0) return null;
  const max = /_(CREATED|IMPORTED|DELETED|INVITED)$/.test(entry.action) ? SHOWN_OF_ALL_FIELDS : SHOWN;
  const isLong = rows.length > max + 1;
  const shown = isLong && !expanded ? rows.slice(0, max) : rows;
  return (
    <>
      <dl className={styles.changes}>
        {shown.map(([name, value]) => (
          <div key={name} className={styles.change}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {isLong && (
        <Button
          variant="subtle"
          size="compact-xs"
          className={styles.more ?? ''}
          aria-expanded={expanded}
          onClick={() => setExpanded((before) => !before)}
        >
          {expanded ? audit.fewer : audit.more(rows.length - max)}
        </Button>
      )}
    </>
  );
}

function ChangeText({ change }: { change: Change }) {
  if ('secret' in change) return audit.values.changed;
  if ('added' in change) {
    const parts = [
      change.added.length === 0 ? null : audit.added(itemsText(change.field, change.added)),
      change.removed.length === 0 ? null : audit.removed(itemsText(change.field, change.removed)),
    ];
    return parts.filter((part) => part !== null).join('; ');
  }
  const { field, before, after } = change;
  if (before === null) return <bdi>{valueText(field, after)}</bdi>;
  return (
    <>
      <del className={styles.before}>
        <bdi>{valueText(field, before)}</bdi>
      </del>{' '}
      <span className={styles.to}>{audit.to}</span>{' '}
      <ins className={styles.after}>
        <bdi>{valueText(field, after)}</bdi>
      </ins>
    </>
  );
}

function itemsText(field: string, items: readonly Value[]): string {
  const shown = items.slice(0, MAX_ITEMS).map((item) => valueText(field, item));
  const left = items.length - shown.length;
  return [...shown, ...(left > 0 ? [audit.moreItems(left)] : [])].join(', ');
}

function valueText(field: string, value: Value): string {
  if (value === null) return audit.values.none;
  if (typeof value === 'boolean') return value ? audit.values.yes : audit.values.no;
  if (typeof value === 'object') return assetText(field, value);
  if (typeof value === 'string' && field.endsWith('_dt')) return formatDateTime(new Date(value));
  const names = NAMES[field] ?? {};
  if (typeof value === 'string' && Object.hasOwn(names, value)) return names[value]!;
  return String(value);
}

/** An item of a focus, of an account's or bundle's content, or of an equivalent. */
function assetText(field: string, value: Readonly<Record<string, unknown>>): string {
  if (field === 'courses') return `${value.name} (${value.language})`;
  const type = value.webhook_focus_type ?? value.type;
  const id = value.webhook_focus_id ?? value.id;
  const name = value.webhook_focus_name ?? value.name;
  const kind = shared.assets.types[type as keyof typeof shared.assets.types] ?? String(type);
  return `${kind} ${name ?? `#${id}`}`;
}

function namesOf(values: Readonly<Record<string, { name: string }>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([value, { name }]) => [value, name]));
}
