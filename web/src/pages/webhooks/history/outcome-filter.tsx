import { Select } from '@mantine/core';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../api/deliveries.ts';
import { deliveries } from '../../../texts/deliveries.ts';

/** Limits a history to the messages with one outcome. */
export function OutcomeFilter({
  outcome,
  onChange,
}: {
  /** Undefined: all. */
  outcome: DeliveryStatus | undefined;
  onChange: (outcome: DeliveryStatus | undefined) => void;
}) {
  return (
    <Select
      size="xs"
      aria-label={deliveries.filter}
      value={outcome ?? ''}
      onChange={(value) => onChange(DELIVERY_STATUSES.find((status) => status === value))}
      data={[
        { value: '', label: deliveries.all },
        ...DELIVERY_STATUSES.map((status) => ({ value: status, label: deliveries.statuses[status] })),
      ]}
    />
  );
}
