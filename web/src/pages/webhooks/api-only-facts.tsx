import { Facts } from '../../components/facts.tsx';
import { Time } from '../../components/time.tsx';
import { webhookEditing } from '../../texts/webhook-editing.ts';
import { formatNumber } from '../../utilities/numbers.ts';

/** The settings of a webhook that only the API can change. */
export interface ApiOnlySettings {
  max_attempts: number;
  ignore_before_dt: string | null;
  logging_mode: string;
}

/** Their values for a new webhook. */
export const apiOnlyDefaults: ApiOnlySettings = {
  max_attempts: 10,
  ignore_before_dt: null,
  logging_mode: 'FULLONERROR',
};

const texts = webhookEditing.apiOnly;
const LOGGING_MODES: Readonly<Record<string, string>> = texts.loggingModes;

/** Shows the settings that only the API can change. */
export function ApiOnlyFacts({ settings }: { settings: ApiOnlySettings }) {
  return (
    <Facts
      items={[
        [texts.maxAttempts, formatNumber(settings.max_attempts)],
        [
          texts.ignoreBefore,
          <Time
            key="time"
            value={settings.ignore_before_dt}
            format="absolute"
            fallback={texts.ignoreNothing}
          />,
        ],
        [texts.loggingMode, LOGGING_MODES[settings.logging_mode] ?? settings.logging_mode],
      ]}
    />
  );
}
