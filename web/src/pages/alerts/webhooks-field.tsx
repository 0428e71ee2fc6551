import { MultiSelect } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { foundWebhooksQuery, webhookNameQueries } from '../../api/webhooks.ts';
import { alerts } from '../../texts/alerts.ts';
import type { AlertFormState } from './alert-draft.ts';

const texts = alerts.form;

/** The webhooks that an alert rule is about, chosen by name. */
export function WebhooksField({ form }: { form: AlertFormState }) {
  const [search, setSearch] = useState('');
  const { data } = useQuery(foundWebhooksQuery(search.trim()));
  const [chosenBefore] = useState(form.values.webhook_ids);
  const namesBefore = new Map(
    useQueries({ queries: webhookNameQueries(chosenBefore) }).flatMap(({ data: read }) => [...(read ?? [])]),
  );
  /** Names of webhooks that were found, so that chosen ones keep theirs during another search. */
  const [names] = useState(() => new Map<number, string>());
  for (const { id, name } of data?.data ?? []) names.set(id, name);
  const ids = new Set([...form.values.webhook_ids, ...(data?.data ?? []).map(({ id }) => id)]);
  return (
    <MultiSelect
      label={texts.webhooks}
      placeholder={texts.webhooksPlaceholder}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      filter={({ options }) => options}
      data={[...ids].map((id) => ({
        value: String(id),
        label: names.get(id) ?? namesBefore.get(id) ?? `#${id}`,
      }))}
      value={form.values.webhook_ids.map(String)}
      onChange={(chosen) => form.setFieldValue('webhook_ids', chosen.map(Number))}
      error={form.errors.webhook_ids}
      data-path="webhook_ids"
    />
  );
}
