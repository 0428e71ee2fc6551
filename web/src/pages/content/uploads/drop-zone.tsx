import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { type ChosenFiles, sortDropped } from './chosen-files.ts';
import styles from './uploads.module.css';

/** Accepts files that are dropped on its content. They can also be chosen with a button: see ChooseFiles. */
export function DropZone({
  hint,
  disabled = false,
  onFiles,
  children,
}: {
  hint: string;
  disabled?: boolean;
  onFiles: (files: ChosenFiles) => void;
  children: ReactNode;
}) {
  const [isOver, setIsOver] = useState(false);
  // A child is entered before its parent is left.
  const depth = useRef(0);
  if (disabled) return <div className={styles.dropZone}>{children}</div>;
  const end = () => {
    depth.current = 0;
    setIsOver(false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of two ways; the other is a button.
    <div
      className={styles.dropZone}
      onDragEnter={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        depth.current += 1;
        setIsOver(true);
      }}
      onDragOver={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
      }}
      onDragLeave={(event) => {
        if (!holdsFiles(event)) return;
        depth.current -= 1;
        if (depth.current <= 0) end();
      }}
      onDrop={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        end();
        onFiles(sortDropped(event.dataTransfer));
      }}
    >
      {children}
      {isOver && (
        <div className={styles.dropHint}>
          <span>
            <IconUpload size={28} stroke={1.5} aria-hidden />
            <br />
            {hint}
          </span>
        </div>
      )}
    </div>
  );
}

/** Whether files from outside the browser are dragged, not courses of this page. */
export function holdsFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes('Files');
}
