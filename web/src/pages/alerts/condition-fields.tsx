import { Group, NumberInput, Radio, Stack, Switch, TextInput } from '@mantine/core';
import { CONDITIONS } from '../../../../src/alerts/rules/alert-rule.ts';
import { Panel } from '../../components/panel.tsx';
import { alerts } from '../../texts/alerts.ts';
import { type AlertFormState, hasMinutes, isAboutWebhooks } from './alert-draft.ts';
import { WebhooksField } from './webhooks-field.tsx';

const texts = alerts.form;

/** Name, condition and scope of an alert rule, and whether it is active. */
export function ConditionFields({ form }: { form: AlertFormState }) {
  const { condition, scope } = form.values;
  return (
    <Panel title={texts.watched}>
      <Stack gap="md">
        <TextInput label={texts.name} autoComplete="off" {...form.getInputProps('name')} />
        <Radio.Group label={texts.condition} {...form.getInputProps('condition')}>
          <Stack gap="xs" mt={6}>
            {CONDITIONS.map((each) => (
              <Radio
                key={each}
                value={each}
                label={alerts.conditions[each].name}
                description={alerts.conditions[each].meaning}
              />
            ))}
          </Stack>
        </Radio.Group>
        {hasMinutes(condition) && (
          <NumberInput
            label={texts.minutes}
            min={1}
            allowDecimal={false}
            allowNegative={false}
            w="14rem"
            {...form.getInputProps('minutes')}
          />
        )}
        {isAboutWebhooks(condition) && (
          <Radio.Group label={texts.scope} {...form.getInputProps('scope')}>
            <Group gap="lg" mt={6}>
              <Radio value="all" label={texts.allWebhooks} />
              <Radio value="some" label={texts.someWebhooks} />
            </Group>
          </Radio.Group>
        )}
        {isAboutWebhooks(condition) && scope === 'some' && <WebhooksField form={form} />}
        <Switch label={texts.enabled} {...form.getInputProps('enabled', { type: 'checkbox' })} />
      </Stack>
    </Panel>
  );
}
