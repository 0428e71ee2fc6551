import { ActionIcon, Button, Checkbox, Group, Modal, Select, Skeleton, Text, TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { CONTENT_TYPES, type ContentType } from '../../../../../src/events/catalogue.ts';
import {
  type AddableAsset,
  accountsKey,
  addAccountContents,
  addableContentQuery,
  MAX_ADDED_AT_ONCE,
  MAX_MATCHES,
} from '../../../api/accounts.ts';
import { newIdempotencyKey } from '../../../api/request.ts';
import { ErrorState } from '../../../components/error-state.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { accounts } from '../../../texts/accounts.ts';
import { shared } from '../../../texts/shared.ts';
import { isolate } from '../../../utilities/isolate.ts';
import { useDebounced } from '../../../utilities/use-debounced.ts';
import styles from '../accounts.module.css';
import { AssetIcon } from '../asset-icon.tsx';
import { keyOf } from './chosen-assets.ts';

const texts = accounts.contents.add;
const types = accounts.contents.types;
const TYPING_MS = 200;
const PLACEHOLDERS = Array.from({ length: 6 }, (_, at) => at);

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
    <Modal opened={opened} onClose={onClose} title={texts.title(isolate(account.name))} size="lg">
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
  const found = useQuery(addableContentQuery(type === null ? CONTENT_TYPES : [type], search));
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
  const rows = found.data ?? [];
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
      <Matches
        rows={found.data}
        error={found.error}
        retry={() => void found.refetch()}
        isStale={found.isPlaceholderData}
        isSearch={search !== '' || type !== null}
        chosen={chosen}
        onChoose={choose}
      />
      <div className={styles.row}>
        <span>{rows.length >= MAX_MATCHES ? texts.bounded(MAX_MATCHES) : ''}</span>
        {rows.length > 0 && (
          <Button variant="subtle" size="compact-sm" onClick={() => choose(rows, true)}>
            {texts.chooseAll}
          </Button>
        )}
      </div>
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

function Matches({
  rows,
  error,
  retry,
  isStale,
  isSearch,
  chosen,
  onChoose,
}: {
  /** Undefined while they are read. */
  rows: readonly AddableAsset[] | undefined;
  error: Error | null;
  retry: () => void;
  isStale: boolean;
  isSearch: boolean;
  chosen: ReadonlyMap<string, AddableAsset>;
  onChoose: (assets: readonly AddableAsset[], isChosen: boolean) => void;
}) {
  if (rows === undefined) {
    return (
      <div className={styles.results} aria-busy={error === null}>
        {error !== null ? (
          <ErrorState error={error} retry={retry} />
        ) : (
          PLACEHOLDERS.map((line) => <Skeleton key={line} height={14} m="md" width={`${70 - line * 6}%`} />)
        )}
      </div>
    );
  }
  if (rows.length === 0) {
    return (
      <div className={styles.results}>
        <p className={styles.message} role="status">
          {isSearch ? texts.nothing : texts.noContent}
        </p>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={styles.results} aria-label={texts.results} aria-busy={isStale} tabIndex={0}>
      <ul>
        {rows.map((asset) => (
          <Match
            key={keyOf(asset)}
            asset={asset}
            isChosen={chosen.has(keyOf(asset))}
            onChoose={(isChosen) => onChoose([asset], isChosen)}
          />
        ))}
      </ul>
    </section>
  );
}

function Match({
  asset,
  isChosen,
  onChoose,
}: {
  asset: AddableAsset;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}) {
  const id = useId();
  return (
    <li>
      <label className={styles.choice} htmlFor={id}>
        <Checkbox
          id={id}
          size="xs"
          checked={isChosen}
          onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
        />
        <AssetIcon type={asset.type} />
        <span className={styles.choiceWords}>
          <bdi className={styles.choiceName}>{asset.name}</bdi>
          <bdi className={styles.choiceFacts}>
            {[types[asset.type], asset.location, accounts.id(asset.id)].filter(Boolean).join(' · ')}
          </bdi>
        </span>
      </label>
    </li>
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
