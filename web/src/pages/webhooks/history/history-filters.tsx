import { Button, Popover, Select, TextInput } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import type { Subtopic } from '../../../../../src/events/catalogue.ts';
import { MAX_LEARNER_ID_LENGTH } from '../../../../../src/text-lengths.ts';
import { deliveries } from '../../../texts/deliveries.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { firstOf } from '../../../utilities/length-of.ts';
import { LATEST_LOCAL_TIME, toLocalTime } from '../../../utilities/local-time.ts';
import styles from './history.module.css';
import { HISTORY_FILTERS, type HistorySearch, historySearch } from './history-search.ts';

const texts = deliveries.filters;
/** Other numbers are no ids: the filter would be ignored. */
const ID_PATTERN = '[1-9][0-9]{0,14}';

/** Ids that are copied often have spaces around them. A longer text would be ignored, and all messages shown. */
function enteredText(text: string): string {
  return firstOf(text.trim(), MAX_LEARNER_ID_LENGTH);
}

/** The filters of the history, in a form that a button opens. */
export function HistoryFilters({
  search,
  subtopics,
  onChange,
}: {
  search: HistorySearch;
  /** The events that the history can be filtered for. */
  subtopics: readonly Subtopic[];
  onChange: (search: HistorySearch) => void;
}) {
  const [opened, setOpened] = useState(false);
  const local = (time: string | undefined) => (time === undefined ? undefined : toLocalTime(time));
  const count = HISTORY_FILTERS.filter((name) => search[name] !== undefined).length;
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const entered = Object.fromEntries(
      Array.from(new FormData(event.currentTarget), ([name, value]) => [name, enteredText(String(value))]),
    );
    // When clocks go back, two times have the same text.
    for (const name of ['from', 'until'] as const)
      if (search[name] !== undefined && entered[name] === local(search[name])) entered[name] = search[name];
    setOpened(false);
    onChange(historySearch(entered));
  };
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom"
      width="min(24rem, 92vw)"
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconFilter size={14} stroke={1.6} />}
          onClick={() => setOpened(!opened)}
        >
          {count === 0 ? texts.title : texts.active(count)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={texts.title}>
        <form key={JSON.stringify(search)} className={styles.filters} onSubmit={apply}>
          <Select
            name="event"
            label={texts.event}
            placeholder={texts.any}
            clearable
            defaultValue={search.event ?? null}
            comboboxProps={{ withinPortal: false }}
            data={subtopics.map((value) => ({ value, label: webhooks.subtopics[value].name }))}
          />
          <TextInput name="learner" label={texts.learner} defaultValue={search.learner} />
          <div className={styles.filterPair}>
            <TextInput
              name="account"
              label={texts.account}
              defaultValue={search.account}
              inputMode="numeric"
              pattern={ID_PATTERN}
            />
            <TextInput
              name="course"
              label={texts.course}
              defaultValue={search.course}
              inputMode="numeric"
              pattern={ID_PATTERN}
            />
          </div>
          <div className={styles.filterPair}>
            <TextInput
              name="code"
              label={texts.code}
              defaultValue={search.code}
              inputMode="numeric"
              pattern="[1-9][0-9]{2}"
            />
            <TextInput name="message" label={texts.message} defaultValue={search.message} />
          </div>
          <div className={styles.filterPair}>
            <TextInput
              name="from"
              label={texts.from}
              defaultValue={local(search.from)}
              type="datetime-local"
              max={LATEST_LOCAL_TIME}
            />
            <TextInput
              name="until"
              label={texts.until}
              defaultValue={local(search.until)}
              type="datetime-local"
              max={LATEST_LOCAL_TIME}
            />
          </div>
          <div className={styles.filterButtons}>
            <Button
              variant="default"
              size="xs"
              onClick={() => {
                setOpened(false);
                onChange({});
              }}
            >
              {texts.clear}
            </Button>
            <Button type="submit" size="xs">
              {texts.apply}
            </Button>
          </div>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
