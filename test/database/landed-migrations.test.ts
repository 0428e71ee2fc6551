import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Dialect } from '../../src/database/database.ts';
import { MIGRATIONS } from '../../src/database/migrate.ts';
import { columnTypes, type Migration } from '../../src/database/migrations/migration.ts';

// Runs on SQLite alone: it reads the migrations of both engines, and opens no database.

/**
 * What each migration does on SQLite and on PostgreSQL, as hashes. A landed migration never changes, because databases
 * that have it do not get the change. Add a line for each new one. Replace only the line of one that has not landed.
 */
const HASHES: Readonly<Record<string, readonly [string, string]>> = {
  '1 foundation': ['310409be0a5a', '1c34515825af'],
  '2 content-domain': ['2e5d6a4d02c3', '8be7ea1ad829'],
  '3 administrators': ['65f72b630a11', 'ff4feda7f878'],
  '4 sqs': ['ea695cab81c7', '6382802d563b'],
  '5 trends': ['a1f4e95f0c9e', '5ef3b0137e2d'],
  '6 task-leases': ['08306f65e4a7', '95913117aeea'],
  '7 session-addresses': ['038c2dbdbe0e', '038c2dbdbe0e'],
  '8 learner-search': ['0df438ada04a', '98f8b7b4bc47'],
  '9 client-revisions': ['ad604a9fce27', '0552d630b4e8'],
  '10 done-messages': ['f1eb41b2572d', '65864a2c8224'],
  '11 listed-deliveries': ['c1395ffc02b7', '800a619774de'],
  '12 resent-attempts': ['31f14cd94f65', '13e8d57caf6c'],
  '13 focused-assets': ['43809014de5d', '43809014de5d'],
  '14 line-moments': ['905593cac7f4', 'bb57a5e1ccc7'],
  '15 sqs-copies': ['6deeb60bc907', 'b45687106630'],
  '16 instances': ['f20e3960116a', '551f8d806176'],
  '17 course-structures': ['fcc15682a764', 'f7c081a9eb9b'],
  '18 player': ['0f4c4705ee37', '2e1745e68c8b'],
  '19 lrs': ['9f96fa378ca3', '1677c918fc21'],
  '20 shared-bodies': ['3a0c7506888d', '372ef5c7bb2c'],
  '21 player-sessions': ['a9b4b7b1d4f7', '9572e67c2e39'],
  '22 focus-names': ['73ebf4ffa9e7', '73ebf4ffa9e7'],
  '23 registration-languages': ['1f61eaddb368', '285d8ee0df26'],
  '24 paused-webhooks': ['8f9530fb3ee0', 'b42e6d4d1524'],
  '25 signing-secrets': ['d78bc7a8ae19', '2a066f7b3321'],
  '26 learner-profiles': ['c9dd6bfa7c6a', 'db9bce3bbb6f'],
  '27 learner-values': ['ff5bfab1a431', '9572ff6f1597'],
  '28 failure-runs': ['78a732ec2fec', '5d7cdcc9a2a0'],
  '29 trace-contexts': ['9e85fccd8861', '9e85fccd8861'],
  '30 events': ['8a0f99f149bd', '801de70e35e9'],
  '31 audit-log': ['573b2c84b5df', '879ee0084915'],
  '33 alerts': ['3841fc9456ac', 'c25a24e2bdbf'],
  '34 attempt-headers': ['b3f0231c7faf', 'b3f0231c7faf'],
  '35 matching-changes': ['c7c37aea94ea', '5f532d0493c6'],
  '36 statement-bytes': ['dab7f07647dd', '47d3b6850632'],
  '37 queued-again': ['19c4fec18cfb', '88670d9fc619'],
  '38 launch-languages': ['c06d86c700a3', 'c06d86c700a3'],
  '39 registrations-by-equivalent': ['d92d2d00f42a', 'd92d2d00f42a'],
  '40 event-blocks-by-time': ['d2638311dd60', 'd2638311dd60'],
  '41 session-pages': ['f088d8f9d433', 'b58e88f906f7'],
  '43 event-key-formats': ['4b1a108c8807', '6de4154f3fbb'],
  '44 continued-pages': ['578052b7ca67', 'bb24d14394f4'],
  '45 attempts-before': ['45a530d36792', 'da83c2d5b097'],
  '46 list-indexes': ['e4443676ca4a', '9fd8334c0423'],
};

function hashOf(migration: Migration, dialect: Dialect): string {
  const { number, name, breaking } = migration;
  const statements = migration.statements(columnTypes(dialect), dialect);
  const does = JSON.stringify({
    number,
    name,
    isBreaking: breaking === true || breaking === dialect,
    // The formatter may move lines.
    statements: statements.map((sql) => sql.replaceAll(/\s+/g, ' ').trim()),
  });
  return createHash('sha256').update(does).digest('hex').slice(0, 12);
}

describe('a landed migration', () => {
  it('never changes, because databases that have it would not get the change: add another one instead', () => {
    const found = MIGRATIONS.map((migration) => [
      `${migration.number} ${migration.name}`,
      [hashOf(migration, 'sqlite'), hashOf(migration, 'postgres')],
    ]);
    assert.deepEqual(Object.fromEntries(found), HASHES);
  });
});
