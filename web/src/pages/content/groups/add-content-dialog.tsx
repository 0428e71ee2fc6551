import {
  Button,
  Checkbox,
  Group,
  Modal,
  Pagination,
  SegmentedControl,
  Skeleton,
  Stack,
  TextInput,
} from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListAnswer } from '../../../../../src/ui-api/list-query.ts';
import type { BundledType } from '../../../api/bundles.ts';
import { courseListQuery } from '../../../api/courses.ts';
import { equivalentListQuery } from '../../../api/equivalents.ts';
import { ErrorState } from '../../../components/error-state.tsx';
import { content } from '../../../texts/content.ts';
import { groups } from '../../../texts/content-groups.ts';
import { shared } from '../../../texts/shared.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { useDebounced } from '../../../utilities/use-debounced.ts';
import styles from './groups.module.css';

const words = groups.addDialog;
const TYPING_MS = 200;
const PAGE_SIZE = 25;
const PLACEHOLDERS = Array.from({ length: 8 }, (_, at) => at);

/** Something that can be added. */
export interface Addable {
  type: BundledType;
  id: number;
  name: string;
}

/** Chooses many courses or equivalents at once, found by name. */
export function AddContentDialog({
  opened,
  title,
  types,
  present,
  room,
  onAdd,
  onClose,
}: {
  opened: boolean;
  title: string;
  types: readonly BundledType[];
  present: readonly Addable[];
  /** How many more there may be. */
  room: number;
  onAdd: (added: Addable[]) => void;
  onClose: () => void;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="lg">
      <AddForm types={types} present={present} room={room} onAdd={onAdd} onClose={onClose} />
    </Modal>
  );
}

function AddForm({
  types,
  present,
  room,
  onAdd,
  onClose,
}: {
  types: readonly BundledType[];
  present: readonly Addable[];
  room: number;
  onAdd: (added: Addable[]) => void;
  onClose: () => void;
}) {
  const [type, setType] = useState<BundledType>(types[0] ?? 'COURSE');
  const [typed, setTyped] = useState('');
  const [page, setPage] = useState(1);
  const [chosen, setChosen] = useState<ReadonlyMap<string, Addable>>(new Map());
  const search = useDebounced(typed.trim(), TYPING_MS);
  const asked = { search, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
  const courses = useQuery({ ...courseListQuery(asked), enabled: type === 'COURSE' });
  const equivalents = useQuery({ ...equivalentListQuery(asked), enabled: type === 'EQUIVALENT' });
  const { data, error, refetch } = type === 'COURSE' ? courses : equivalents;
  const found: ListAnswer<{ id: number; name: string; location: string }> | undefined = data;
  const already = new Set(present.map(keyOf));
  const rows = (found?.data ?? []).map(({ id, name, location }) => ({ asset: { type, id, name }, location }));
  const free = rows.map(({ asset }) => asset).filter((asset) => !already.has(keyOf(asset)));
  const allChosen = free.length > 0 && free.every((asset) => chosen.has(keyOf(asset)));
  const choose = (assets: readonly Addable[], isChosen: boolean) =>
    setChosen((before) => {
      const after = new Map(before);
      for (const asset of assets) {
        if (isChosen) after.set(keyOf(asset), asset);
        else after.delete(keyOf(asset));
      }
      return after;
    });
  const tooMany = chosen.size > room;
  const pages = Math.ceil((found?.total ?? 0) / PAGE_SIZE);
  return (
    <Stack gap="sm">
      {types.length > 1 && (
        <SegmentedControl
          aria-label={words.types}
          value={type}
          onChange={(value) => {
            setType(value as BundledType);
            setPage(1);
          }}
          data={types.map((value) => ({
            value,
            label: value === 'COURSE' ? content.kinds.courses : content.kinds.equivalents,
          }))}
        />
      )}
      <TextInput
        aria-label={words.search}
        placeholder={words.search}
        leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setPage(1);
        }}
        data-autofocus
      />
      <div className={styles.choices}>
        {found === undefined ? (
          error === null ? (
            <div aria-busy="true">
              {PLACEHOLDERS.map((line) => (
                <Skeleton key={line} height={14} m="sm" width={`${40 + ((line * 17) % 40)}%`} />
              ))}
            </div>
          ) : (
            <ErrorState error={error} retry={() => void refetch()} />
          )
        ) : rows.length === 0 ? (
          <div className={styles.none}>{search === '' ? words.nothingAtAll : words.nothing}</div>
        ) : (
          <fieldset className={styles.fieldset}>
            <legend className={styles.legend}>{words.label}</legend>
            <Checkbox
              className={styles.choice ?? ''}
              size="xs"
              label={words.selectPage}
              checked={allChosen}
              indeterminate={!allChosen && free.some((asset) => chosen.has(keyOf(asset)))}
              disabled={free.length === 0}
              onChange={({ currentTarget }) => choose(free, currentTarget.checked)}
            />
            {rows.map(({ asset, location }) => {
              const isIn = already.has(keyOf(asset));
              return (
                <Checkbox
                  key={asset.id}
                  className={styles.choice ?? ''}
                  size="xs"
                  disabled={isIn}
                  checked={isIn || chosen.has(keyOf(asset))}
                  onChange={({ currentTarget }) => choose([asset], currentTarget.checked)}
                  label={<bdi>{asset.name}</bdi>}
                  description={
                    <bdi>
                      {isIn && `${words.already} · `}
                      {location} · {groups.types[type]} {asset.id}
                    </bdi>
                  }
                />
              );
            })}
          </fieldset>
        )}
      </div>
      {pages > 1 && (
        <Pagination
          component="nav"
          aria-label={shared.table.pages}
          size="sm"
          total={pages}
          value={page}
          onChange={setPage}
          getItemProps={(number) => ({ 'aria-label': shared.table.page(number) })}
          getControlProps={(control) => ({
            'aria-label': control === 'previous' ? shared.table.previous : shared.table.next,
          })}
        />
      )}
      <Group justify="space-between" gap="sm">
        <div className={styles.none} role="status">
          {tooMany
            ? words.room(room)
            : chosen.size > 0
              ? content.selected(chosen.size)
              : found === undefined
                ? ''
                : shared.table.results(formatNumber(found.total), found.total === 1)}
        </div>
        <Group gap="sm">
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          <Button
            disabled={chosen.size === 0 || tooMany}
            onClick={() => {
              onAdd([...chosen.values()]);
              onClose();
            }}
          >
            {words.submit(chosen.size)}
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}

function keyOf({ type, id }: { type: BundledType; id: number }): string {
  return `${type} ${id}`;
}
