import { Select } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type RegistrationUnit, registrationsKey, waiveUnit } from '../../../api/registrations.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { registrations } from '../../../texts/registrations.ts';

const texts = registrations.units.waive;
/** The reasons that cmi5 suggests (section 9.5.5.2). The first one is the default of the service. */
const REASONS = ['Administrative', 'Tested Out', 'Equivalent AU', 'Equivalent Outside Activity'] as const;
type Reason = (typeof REASONS)[number];

/** Excuses the learner from a unit of a cmi5 course, with a reason. */
export function WaiveDialog({
  registrationId,
  unit,
  opened,
  onClose,
}: {
  registrationId: string;
  /** The unit, even while the dialog fades out. */
  unit: RegistrationUnit;
  opened: boolean;
  /** Called with the unit that it is about: a response may arrive when the dialog is about another one. */
  onClose: (unit: RegistrationUnit) => void;
}) {
  const queryClient = useQueryClient();
  const [reason, setReason] = useState<Reason>('Administrative');
  const waive = useFormMutation(
    {
      mutationFn: ({ unit_id }: RegistrationUnit) => waiveUnit(registrationId, { unit_id, reason }),
      onSuccess: (_nothing, waived) => {
        notifyDone(texts.done(waived.title));
        onClose(waived);
      },
      // Someone else may have waived it, or the learner may have completed it.
      onSettled: () => queryClient.invalidateQueries({ queryKey: registrationsKey }),
    },
    opened,
  );
  return (
    <ConfirmDialog
      opened={opened}
      title={texts.title(unit.title)}
      confirmLabel={texts.confirm}
      harmless
      pending={waive.isPending}
      error={waive.error}
      onConfirm={() => {
        if (!waive.isPending) waive.mutate(unit);
      }}
      onClose={() => {
        waive.reset();
        onClose(unit);
      }}
    >
      <p>{texts.description}</p>
      <Select
        label={texts.reason}
        description={texts.reasonDescription}
        value={reason}
        onChange={(value) => setReason(REASONS.find((each) => each === value) ?? 'Administrative')}
        allowDeselect={false}
        data={REASONS.map((value) => ({ value, label: texts.reasons[value] }))}
      />
      <p>{texts.event}</p>
    </ConfirmDialog>
  );
}
