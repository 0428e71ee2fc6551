import { KIB, MIB } from '../../../bytes.ts';
import type { Reader, SqlValue, Transaction } from '../../../database/database.ts';
import { isObject } from '../../../is-object.ts';
import { TimeSlices } from '../../../time/time-slices.ts';
import type { JsonObject, StoredStatement } from '../xapi-types.ts';
import { mergeDefinition } from './statement-form.ts';
import { agentIdentity, agentsIn, termOf } from './statement-index.ts';

/**
 * Stores the definitions of activities and the names of agents. Other launches do not see the definitions that a launch
 * sends.
 */

const MAX_NAMES = 20;
/** As many definitions of the maximum length fit into memory at once. */
const KEYS_AT_ONCE = 32;
/** Maximum length of all definitions that are read for a page, as JSON. */
const MAX_DEFINITIONS_LENGTH = 8 * MIB;
/**
 * Maximum length of a stored definition, as JSON. Each statement may add extensions; one that exceeds the limit is
 * ignored.
 */
const MAX_DEFINITION_LENGTH = 256 * KIB;
/** Maximum length of the stored definitions that a request changes, as JSON. Further ones are not changed. */
const MAX_CHANGED_LENGTH = 4 * MIB;

const INSERT_ACTIVITY =
  'insert into lrs_activities (activity_key, term, registration_id, definition, updated_at) values (?, ?, ?, ?, ?)';

function keyOf(registrationId: string | null, term: string): string {
  return termOf(JSON.stringify([registrationId, term]));
}

/**
 * Merges definitions of activities into the stored ones, up to {@link MAX_CHANGED_LENGTH} of these. A new definition is
 * always stored.
 */
export async function storeDefinitions(
  tx: Transaction,
  registrationId: string | null,
  activities: readonly JsonObject[],
  now: number,
): Promise<void> {
  const byTerm = new Map<string, JsonObject>();
  for (const { id, definition } of activities) {
    if (typeof id !== 'string' || !isObject(definition)) continue;
    const term = termOf(id);
    const merged = byTerm.get(term) ?? {};
    mergeDefinition(merged, definition);
    byTerm.set(term, merged);
  }
  let remaining = MAX_CHANGED_LENGTH;
  // Sorted, so that concurrent transactions lock the rows in the same order and cannot deadlock.
  for (const [term, definition] of [...byTerm].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const key = keyOf(registrationId, term);
    const mayChange = remaining > 0;
    const row = { key, term, registrationId, definition: JSON.stringify(definition), updatedAt: now };
    let stored = mayChange ? await lockDefinition(tx, key) : undefined;
    if (stored === undefined) {
      if (row.definition.length > MAX_DEFINITION_LENGTH) continue;
      if ((await addDefinition(tx, row)) || !mayChange) continue;
      // Another transaction has added one in the meantime.
      stored = await lockDefinition(tx, key);
    }
    if (stored === row.definition) continue;
    remaining -= stored?.length ?? 0;
    const merged = stored === undefined ? row.definition : mergedInto(stored, definition);
    if (merged === stored || merged.length > MAX_DEFINITION_LENGTH) continue;
    await saveDefinition(tx, { ...row, definition: merged });
  }
}

function mergedInto(stored: string, definition: JsonObject): string {
  const merged = JSON.parse(stored) as JsonObject;
  mergeDefinition(merged, definition);
  return JSON.stringify(merged);
}

interface ActivityRow {
  key: string;
  term: string;
  registrationId: string | null;
  definition: string;
  updatedAt: number;
}

async function lockDefinition(tx: Transaction, key: string): Promise<string | undefined> {
  const [row] = await tx.all<{ definition: string }>(
    `select definition from lrs_activities where activity_key = ?${tx.dialect === 'postgres' ? ' for update' : ''}`,
    key,
  );
  return row?.definition;
}

async function saveDefinition(tx: Transaction, row: ActivityRow): Promise<void> {
  await tx.run(
    `${INSERT_ACTIVITY} on conflict (activity_key)
       do update set definition = excluded.definition, updated_at = excluded.updated_at`,
    ...valuesOf(row),
  );
}

/** Stores a definition if the activity has none, and returns whether it did. */
async function addDefinition(tx: Transaction, row: ActivityRow): Promise<boolean> {
  return (await tx.run(`${INSERT_ACTIVITY} on conflict (activity_key) do nothing`, ...valuesOf(row))) > 0;
}

function valuesOf(row: ActivityRow): SqlValue[] {
  return [row.key, row.term, row.registrationId, row.definition, row.updatedAt];
}

/**
 * The stored definitions of activities, by who sent them: the launches of a registration, or API clients (null). There
 * may be thousands, so those beyond {@link MAX_DEFINITIONS_LENGTH} are omitted.
 * @param wanted ids of activities, by who sent the definitions. They are read in this order
 */
export async function selectDefinitions(
  reader: Pick<Reader, 'all'>,
  wanted: ReadonlyMap<string | null, ReadonlySet<string>>,
): Promise<Map<string | null, Map<string, JsonObject>>> {
  const slices = new TimeSlices();
  slices.begin();
  const found = new Map([...wanted.keys()].map((sender) => [sender, new Map<string, JsonObject>()]));
  let length = 0;
  for (const some of inParts(wanted)) {
    const byKey = new Map(some.map((each) => [keyOf(each.sender, termOf(each.id)), each]));
    for (const { activity_key: key, definition } of await selectByKeys(reader, [...byKey.keys()])) {
      length += definition.length;
      if (length > MAX_DEFINITIONS_LENGTH) return found;
      const { sender, id } = byKey.get(key)!;
      found.get(sender)!.set(id, JSON.parse(definition) as JsonObject);
      await slices.pause();
    }
    await slices.pause();
  }
  return found;
}

/** At most {@link KEYS_AT_ONCE} at a time, because there may be hundreds of thousands. */
function* inParts(
  wanted: ReadonlyMap<string | null, ReadonlySet<string>>,
): Generator<{ sender: string | null; id: string }[]> {
  let part: { sender: string | null; id: string }[] = [];
  for (const [sender, ids] of wanted) {
    for (const id of ids) {
      part.push({ sender, id });
      if (part.length < KEYS_AT_ONCE) continue;
      yield part;
      part = [];
    }
  }
  if (part.length > 0) yield part;
}

async function selectByKeys(
  reader: Pick<Reader, 'all'>,
  keys: readonly string[],
): Promise<{ activity_key: string; definition: string }[]> {
  return await reader.all<{ activity_key: string; definition: string }>(
    `select activity_key, definition from lrs_activities where activity_key in (${keys.map(() => '?').join(', ')})`,
    ...keys,
  );
}

/** The definition of an activity that was stored last, whoever sent it. */
export async function selectLatestDefinition(
  reader: Pick<Reader, 'all'>,
  activityId: string,
): Promise<JsonObject | undefined> {
  const [row] = await reader.all<{ definition: string }>(
    'select definition from lrs_activities where term = ? order by updated_at desc, activity_key limit 1',
    termOf(activityId),
  );
  return row === undefined ? undefined : (JSON.parse(row.definition) as JsonObject);
}

/** Stores the names that statements give to agents. */
export async function storeAgentNames(
  tx: Transaction,
  statements: readonly StoredStatement[],
): Promise<void> {
  const rows = new Map<string, [string, string]>();
  for (const agent of statements.flatMap(agentsIn)) {
    const identity = agentIdentity(agent);
    if (identity === null || typeof agent.name !== 'string' || agent.name.includes('\0')) continue;
    const term = termOf(identity);
    rows.set(`${term} ${agent.name}`, [term, agent.name.slice(0, 200)]);
  }
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  await tx.insertMany('lrs_agent_names', ['term', 'name'], sorted, 'on conflict do nothing');
}

/** The stored names of an agent. */
export async function selectAgentNames(reader: Pick<Reader, 'all'>, identity: string): Promise<string[]> {
  const rows = await reader.all<{ name: string }>(
    'select name from lrs_agent_names where term = ? order by name limit ?',
    termOf(identity),
    MAX_NAMES,
  );
  return rows.map(({ name }) => name);
}
