import { Button, type ButtonProps } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { type ChosenFiles, PACKAGE_ACCEPT, sortFiles } from './chosen-files.ts';

/** A button that opens the file dialog for packages. */
export function ChooseFiles({
  multiple = false,
  onFiles,
  children,
  ...button
}: ButtonProps & { multiple?: boolean; onFiles: (files: ChosenFiles) => void; children: ReactNode }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept={PACKAGE_ACCEPT}
        multiple={multiple}
        onChange={({ currentTarget }) => {
          onFiles(sortFiles(currentTarget.files ?? []));
          // So that the same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      <Button
        leftSection={<IconUpload size={16} stroke={1.6} aria-hidden />}
        {...button}
        onClick={() => input.current?.click()}
      >
        {children}
      </Button>
    </>
  );
}
