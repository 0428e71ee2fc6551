import type { ReactNode } from 'react';
import { manyAccounts } from '../../texts/many-accounts.ts';
import { registrations } from '../../texts/registrations.ts';
import { AssetField, type ChosenAsset } from '../content-dialog/asset-field.tsx';

const texts = registrations.create;

interface FieldProps {
  /** None or one. */
  value: readonly ChosenAsset[];
  onChange: (value: ChosenAsset[]) => void;
  error?: ReactNode;
  onOpenChange?: (opened: boolean) => void;
}

/** The account of a registration. */
export function AccountField(props: FieldProps) {
  return (
    <AssetField
      label={texts.account}
      description={texts.accountDescription}
      types={['ACCOUNT']}
      choose={texts.chooseAccount}
      title={texts.checks.account}
      words={{
        search: manyAccounts.searchAccounts,
        results: manyAccounts.accounts,
        noContent: manyAccounts.noAccounts,
      }}
      single
      {...props}
    />
  );
}

/** The course or equivalent of a registration, chosen from those of the account. */
export function SubjectField({ accountId, ...props }: FieldProps & { accountId: number | null }) {
  return (
    <AssetField
      label={texts.course}
      description={texts.courseDescription}
      types={['COURSE', 'EQUIVALENT']}
      heldBy={accountId}
      disabled={accountId === null ? texts.accountFirst : undefined}
      choose={texts.chooseCourse}
      title={texts.checks.course}
      words={{ noContent: texts.nothing }}
      single
      {...props}
    />
  );
}
