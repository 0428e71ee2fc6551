import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { startTestService } from '../support/service.ts';

// Runs on SQLite alone: the metrics have the same names on every database.

const FOLDER = path.join(import.meta.dirname, '../../deploy/monitoring');
const PAGE = path.join(import.meta.dirname, '../../docs/operating.md');
/** Added by Prometheus to each series. */
const SCRAPE_LABELS = ['job', 'instance'];
/** The variables that Grafana replaces in an expression. */
const VARIABLES: Readonly<Record<string, string>> = {
  $__rate_interval: '5m',
  $__interval: '5m',
  $__range: '6h',
  $job: '.*',
  $instance: '.*',
};

interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string; legendFormat: string }[];
}
const dashboard = JSON.parse(readFileSync(path.join(FOLDER, 'grafana-dashboard.json'), 'utf8')) as {
  uid: string;
  panels: Panel[];
  annotations: { list: { expr: string }[] };
  templating: { list: { name: string; definition?: string }[] };
};
const { groups } = parse(readFileSync(path.join(FOLDER, 'prometheus-rules.yaml'), 'utf8')) as {
  groups: {
    rules: {
      alert: string;
      expr: string;
      labels: Record<string, string>;
      annotations: Record<string, string>;
    }[];
  }[];
};
const rules = groups.flatMap((group) => group.rules);
const shownExpressions = dashboard.panels
  .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  .concat(dashboard.annotations.list.map(({ expr }) => expr))
  .map((expr) => expr.replaceAll(/\$\w+/g, (name) => VARIABLES[name] ?? name));

/** A series that an expression reads: its name, and the labels and values that it selects. */
interface Selector {
  name: string;
  matchers: { label: string; operator: string; value: string }[];
}

/**
 * The series that a PromQL expression reads, and the labels that it groups by. Fails if the expression is not valid.
 */
function readExpression(expr: string): { selectors: Selector[]; grouped: string[] } {
  const selectors: Selector[] = [];
  const grouped: string[] = [];
  parser.parse(expr).iterate({
    enter({ type, from, to, node }) {
      const text = expr.slice(from, to);
      assert.ok(!type.isError, `not PromQL at ${from}: ${expr}`);
      if (type.name === 'VectorSelector') {
        const matchers = node
          .getChild('LabelMatchers')
          ?.getChildren('UnquotedLabelMatcher')
          .map((matcher) => {
            const [, label, operator, value] =
              /^(\w+)\s*(=~|!=|=|!~)\s*"(.*)"$/.exec(expr.slice(matcher.from, matcher.to)) ?? [];
            assert.ok(label !== undefined && operator !== undefined && value !== undefined, text);
            return { label, operator, value };
          });
        const name = node.getChild('Identifier');
        assert.ok(name !== null, text);
        selectors.push({ name: expr.slice(name.from, name.to), matchers: matchers ?? [] });
      }
      if (type.name === 'GroupingLabels') grouped.push(...text.replaceAll(/[()\s]/g, '').split(','));
    },
  });
  return { selectors, grouped };
}

/** The series of the text format, with the values of each label: name → label → values. */
function seriesOf(text: string): Map<string, Map<string, Set<string>>> {
  const found = new Map<string, Map<string, Set<string>>>();
  for (const line of text.split('\n')) {
    const [, name, labels = ''] = /^([a-z_:][\w:]*)(?:\{(.*)\})? \S+$/i.exec(line) ?? [];
    if (name === undefined) continue;
    const values = found.get(name) ?? new Map<string, Set<string>>();
    for (const [, label, value] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      values.set(label!, (values.get(label!) ?? new Set()).add(value!));
    found.set(name, values);
  }
  return found;
}

describe('the dashboard and the alerts', () => {
  let exposed: ReturnType<typeof seriesOf>;
  before(async () => {
    await using service = await startTestService();
    const text = await (await fetch(`${service.url}/metrics`)).text();
    // Added by Prometheus itself.
    exposed = seriesOf(`${text}\nup 1`);
    assert.ok(exposed.size > 30);
  });

  it('use only metrics and labels that a service exposes from its start', () => {
    for (const expr of [...shownExpressions, ...rules.map((rule) => rule.expr)]) {
      const { selectors, grouped } = readExpression(expr);
      assert.ok(selectors.length > 0, expr);
      const known = new Set(SCRAPE_LABELS);
      for (const { name, matchers } of selectors) {
        const labels = exposed.get(name);
        assert.ok(labels !== undefined, `${name} does not exist: ${expr}`);
        for (const label of labels.keys()) known.add(label);
        for (const { label, operator, value } of matchers) {
          if (SCRAPE_LABELS.includes(label)) continue;
          assert.ok(operator === '=' || operator === '!=', expr);
          assert.ok(labels.get(label)?.has(value), `${name} never has ${label}="${value}": ${expr}`);
        }
      }
      for (const label of grouped) assert.ok(known.has(label), `nothing has the label ${label}: ${expr}`);
    }
  });

  it('mention only labels that their expressions keep', () => {
    const shown = dashboard.panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({
        expr: expr.replaceAll(/\$\w+/g, (name) => VARIABLES[name] ?? name),
        text: legendFormat,
        pattern: /\{\{(\w+)\}\}/g,
      })),
    );
    const alerted = rules.map(({ expr, annotations }) => ({
      expr,
      text: Object.values(annotations).join(' '),
      pattern: /\$labels\.(\w+)/g,
    }));
    for (const { expr, text, pattern } of [...shown, ...alerted]) {
      const { selectors, grouped } = readExpression(expr);
      const isGrouped = /\bby\b|^(?:max|sum|count|min|avg)\(/.test(expr);
      const kept = isGrouped
        ? grouped
        : [...SCRAPE_LABELS, ...selectors.flatMap(({ name }) => [...(exposed.get(name)?.keys() ?? [])])];
      for (const [, label] of text.matchAll(pattern)) assert.ok(kept.includes(label!), `${label}: ${expr}`);
    }
  });

  it('cover every metric of the service on the dashboard', () => {
    const shown = new Set(
      shownExpressions.flatMap((expr) => readExpression(expr).selectors.map(({ name }) => familyOf(name))),
    );
    const own = new Set([...exposed.keys()].filter((name) => name.startsWith('coursewire_')).map(familyOf));
    assert.deepEqual(
      [...own].filter((name) => !shown.has(name)),
      [],
    );
  });

  it('use metrics that operating.md explains: all of the service, with their labels', () => {
    const [, table = ''] =
      /^\| metric \| labels \| meaning \|$(.*?)^$/ms.exec(readFileSync(PAGE, 'utf8')) ?? [];
    const namesIn = (cell = '') => Array.from(cell.matchAll(/`(\w+)`/g), ([, name]) => name!);
    const explained = table.split('\n').flatMap((row) => {
      const [, names, labels] = row.split('|');
      return namesIn(names).map((name) => `${name} ${namesIn(labels?.split(':')[0]).join()}`.trimEnd());
    });
    const own = [...exposed].flatMap(([name, labels]) => {
      const own = [...labels.keys()].filter((label) => label !== 'le');
      return name.startsWith('coursewire_') ? [`${familyOf(name)} ${own.join()}`.trimEnd()] : [];
    });
    assert.deepEqual(explained.sort(), [...new Set(own)].sort());
  });

  it('have panels that do not overlap, each with a description', () => {
    const cells = new Set<string>();
    for (const { id, type, title, description, gridPos, targets } of dashboard.panels) {
      assert.ok(title.length > 0, `${id}`);
      if (type !== 'row') assert.ok((description ?? '').length > 0 && (targets ?? []).length > 0, title);
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(!cells.has(`${x},${y}`), `${title} overlaps another panel`);
          cells.add(`${x},${y}`);
        }
    }
    const ids = dashboard.panels.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('have alerts with a unique name, a severity and texts, each covered by a promtool test case', () => {
    const names = rules.map(({ alert }) => alert);
    assert.equal(new Set(names).size, names.length);
    for (const { alert, labels, annotations } of rules) {
      assert.ok(['critical', 'warning', 'info'].includes(labels.severity ?? ''), alert);
      assert.ok(annotations.summary && annotations.description, alert);
    }
    const cases = parse(readFileSync(path.join(FOLDER, 'alerts.test.yaml'), 'utf8')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
    };
    const fired = new Set(
      cases.tests.flatMap((test) =>
        test.alert_rule_test
          .filter(({ exp_alerts: expected = [] }) => expected.length > 0)
          .map(({ alertname }) => alertname),
      ),
    );
    assert.deepEqual(
      names.filter((name) => !fired.has(name)),
      [],
    );
  });
});

/** A histogram's name without the ending of its series. */
function familyOf(name: string): string {
  return name.replace(/_(?:bucket|sum|count)$/, '');
}
