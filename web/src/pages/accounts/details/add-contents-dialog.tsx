import { ActionIcon, Button, Group, Modal, Select, Text, TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { CONTENT_TYPES, type ContentType } from '../../../../../src/events/catalogue.ts';
import {
  type AddableAsset,
  accountsKey,
  addAccountContents,
  addableContentQuery,
  MAX_ADDED_AT_ONCE,
} from '../../../api/accounts.ts';
import { newIdempotencyKey } from '../../../api/request.ts';
import { FormProblem } from '../../../components/form-problem.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { accounts } from '../../../texts/accounts.ts';
import { shared } from '../../../texts/shared.ts';
import { useDebounced } from '../../../utilities/use-debounced.ts';
import styles from '../accounts.module.css';
import { AddableMatches } from './addable-matches.tsx';
import { keyOf } from './chosen-assets.ts';

const texts = accounts.contents.add;
const types = accounts.contents.types;
const TYPING_MS = 200;
const PAGE_SIZE = 50;

/** Gives an account content: many assets at once, found by name. */
export function AddContentsDialog({
  account,
  opened,
  onClose,
}: {
  account: { id: number; name: string };
  opened: boolean;
  onClose: () => void;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title={texts.title(account.name)} size="lg">
      <AddForm accountId={account.id} onClose={onClose} />
    </Modal>
  );
}

function AddForm({ accountId, onClose }: { accountId: number; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState('');
  const [type, setType] = useState<ContentType | null>(null);
  const [chosen, setChosen] = useState<ReadonlyMap<string, AddableAsset>>(new Map());
  const [asked, setAsked] = useState(false);
  const searchField = useRef<HTMLInputElement>(null);
  const key = useRef('');
  const search = useDebounced(typed.trim(), TYPING_MS);
  // Another search or type begins at its first page.
  const [at, setAt] = useState({ search, type, page: 1 });
  const page = at.search === search && at.type === type ? at.page : 1;
  const found = useQuery(
    addableContentQuery(accountId, { search, type, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }),
  );
  const add = useMutation({
    mutationFn: (assets: readonly AddableAsset[]) => {
      if (key.current === '') key.current = newIdempotencyKey();
      return addAccountContents(accountId, assets, key.current);
    },
    onSuccess: async ({ added, unchanged }) => {
      notifyDone(texts.done(added.length, unchanged.length));
      onClose();
      await queryClient.invalidateQueries({ queryKey: accountsKey });
    },
  });
  const choose = (assets: readonly AddableAsset[], isChosen: boolean) => {
    // The key belongs to what was sent with it.
    key.current = '';
    setAsked(false);
    setChosen((before) => {
      const after = new Map(before);
      for (const asset of assets) {
        if (isChosen) after.set(keyOf(asset), asset);
        else after.delete(keyOf(asset));
      }
      return after;
    });
  };
  const tooMany = chosen.size > MAX_ADDED_AT_ONCE;
  const problem = tooMany
    ? texts.tooMany(MAX_ADDED_AT_ONCE)
    : asked && chosen.size === 0
      ? texts.nothingChosen
      : null;
  return (
    <form
      className={styles.adding}
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
        if (chosen.size === 0 || tooMany) searchField.current?.focus();
        else if (!add.isPending) add.mutate([...chosen.values()]);
      }}
    >
      <FormProblem error={add.error} />
      <div className={styles.finding}>
        <TextInput
          ref={searchField}
          type="search"
          label={texts.search}
          placeholder={texts.searchPlaceholder}
          maxLength={200}
          leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          // Enter looks for what is typed; it adds nothing.
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault();
          }}
          data-autofocus
        />
        <Select
          label={texts.types}
          value={type ?? ''}
          onChange={(value) => setType(value === '' ? null : (value as ContentType | null))}
          allowDeselect={false}
          data={[
            { value: '', label: texts.all },
            ...CONTENT_TYPES.map((value) => ({ value, label: types[value] })),
          ]}
        />
      </div>
      <AddableMatches
        found={found.data}
        error={found.error}
        retry={() => void found.refetch()}
        isStale={found.isPlaceholderData}
        isSearch={search !== '' || type !== null}
        page={page}
        onPage={(chosenPage) => setAt({ search, type, page: chosenPage })}
        chosen={chosen}
        onChoose={choose}
      />
      <Chosen assets={[...chosen.values()]} onRemove={(asset) => choose([asset], false)} />
      <Text size="sm" c="dimmed">
        {[...chosen.values()].some((asset) => asset.type === 'FOLDER') ? `${texts.folder} ` : ''}
        {texts.event}
      </Text>
      <div className={styles.row}>
        <span role="alert" className={styles.problem}>
          {problem}
        </span>
        <Group gap="sm" ml="auto">
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          <Button type="submit" loading={add.isPending}>
            {texts.submit(chosen.size)}
          </Button>
        </Group>
      </div>
    </form>
  );
}

function Chosen({
  assets,
  onRemove,
}: {
  assets: readonly AddableAsset[];
  onRemove: (asset: AddableAsset) => void;
}) {
  if (assets.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {texts.noneChosen}
      </Text>
    );
  }
  return (
    <div>
      <div className={styles.row} role="status">
        {texts.chosen(assets.length)}
      </div>
      <ul className={styles.chosen} aria-label={texts.chosenLabel}>
        {assets.map((asset) => (
          <li key={keyOf(asset)} className={styles.pill}>
            <bdi>{asset.name}</bdi>
            <ActionIcon
              variant="transparent"
              className={styles.unchoose ?? ''}
              size={20}
              aria-label={texts.remove(asset.name)}
              onClick={() => onRemove(asset)}
            >
              <IconX size={14} stroke={1.8} />
            </ActionIcon>
          </li>
        ))}
      </ul>
    </div>
  );
}
