import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { AuditItem } from '../../../../src/audit/field-changes.ts';
import { isTopic, SUBTOPICS, type Subtopic } from '../../../../src/events/catalogue.ts';
import type { AuditEntry } from '../../api/audit.ts';
import { alerts } from '../../texts/alerts.ts';
import { audit } from '../../texts/audit.ts';
import { navigation } from '../../texts/navigation.ts';
import { shared } from '../../texts/shared.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { formatDateTime } from '../../utilities/times.ts';
import styles from './audit-list.module.css';

type Change = AuditEntry['changes'][number];
type Value = AuditItem;

/** Maximum number of rows at first. An entry about a new or deleted object lists all of its fields. */
const SHOWN = 10;
const SHOWN_OF_ALL_FIELDS = 4;
const MAX_ITEMS = 20;

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
      audit.fields[change.field] ?? change.field,
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
  if (field === 'subtopics' || field === 'subtopic') return subtopicText(String(value));
  if (field === 'condition') return conditionText(String(value));
  if (field === 'role') return roleText(String(value));
  if (field === 'topic' && isTopic(value)) return webhooks.topics[value].name;
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

function subtopicText(value: string): string {
  return (SUBTOPICS as readonly string[]).includes(value)
    ? webhooks.subtopics[value as Subtopic].name
    : value;
}

function conditionText(value: string): string {
  return value in alerts.conditions ? alerts.conditions[value as keyof typeof alerts.conditions].name : value;
}

function roleText(value: string): string {
  return value in navigation.roles ? navigation.roles[value as keyof typeof navigation.roles] : value;
}
