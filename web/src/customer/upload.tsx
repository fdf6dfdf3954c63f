import { useRef, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { DropZone } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { Text } from 'react-aria-components/Text';
import { told } from '../parts/bidi.js';
import { bytes } from '../parts/format.js';
import { A_LIST, type AskingProject, nothingIn, type Preview, previewOf } from './preview.js';
import { keyFor } from './send-file.js';
import { type Chosen, UploadForm } from './upload-form.js';
import { UploadedBatch } from './uploaded-batch.js';

interface UploadProps {
  readonly projectId: string;
  readonly asking: AskingProject;
  /** A batch has been taken in. */
  readonly onUploaded: () => void;
}

/** Brings more work: a file is looked at here first, then sent, and what of it is no task is said row by row. */
export function Upload({ projectId, asking, onUploaded }: UploadProps) {
  const { looked, choose, leave } = useLookedAt(projectId, asking);
  const [batchId, setBatchId] = useState<string | null>(null);
  const take = (file: File | undefined) => {
    if (file !== undefined) {
      setBatchId(null);
      void choose(file);
    }
  };
  return (
    <section className="card" aria-labelledby="upload-title">
      <h2 id="upload-title">Upload a batch</h2>
      {looked.kind === 'READ' ? (
        <>
          <PreviewOf chosen={looked.chosen} />
          <UploadForm
            key={`${looked.chosen.key} ${looked.chosen.file.name}`}
            projectId={projectId}
            chosen={looked.chosen}
            onCancel={leave}
            onDone={(id) => {
              leave();
              setBatchId(id);
              onUploaded();
            }}
          />
        </>
      ) : (
        <>
          <Choose onChoose={take} />
          {looked.kind === 'READING' ? <p role="status">Looking at {told(looked.name)} …</p> : null}
          {looked.kind === 'UNREADABLE' ? (
            <p role="alert" className="fault">
              This file cannot be read: it may have been moved or changed, or be a folder.
            </p>
          ) : null}
        </>
      )}
      {batchId === null ? null : <UploadedBatch key={batchId} batchId={batchId} onStored={onUploaded} />}
    </section>
  );
}

type Looked =
  | { readonly kind: 'NONE' }
  | { readonly kind: 'READING'; readonly name: string }
  | { readonly kind: 'UNREADABLE' }
  | { readonly kind: 'READ'; readonly chosen: Chosen };

const NONE: Looked = { kind: 'NONE' };

/** Looks at the file that was chosen last. */
function useLookedAt(projectId: string, asking: AskingProject) {
  const [looked, setLooked] = useState<Looked>(NONE);
  const latest = useRef<File | null>(null);
  const choose = async (file: File) => {
    latest.current = file;
    setLooked({ kind: 'READING', name: file.name });
    const found = await previewOf(file, asking).then(
      (preview): Looked => ({ kind: 'READ', chosen: { file, preview, key: keyFor(projectId, file) } }),
      (): Looked => ({ kind: 'UNREADABLE' }),
    );
    if (latest.current === file) {
      setLooked(found);
    }
  };
  const leave = () => {
    latest.current = null;
    setLooked(NONE);
  };
  return { looked, choose, leave };
}

function Choose({ onChoose }: { onChoose: (file: File | undefined) => void }) {
  return (
    <DropZone
      className="drop-zone"
      onDrop={async ({ items }) => {
        const item = items.find(({ kind }) => kind === 'file');
        onChoose(item?.kind === 'file' ? await item.getFile() : undefined);
      }}
    >
      <Text slot="label">Drop a JSONL or CSV file here, or</Text>
      <FileTrigger
        acceptedFileTypes={['.jsonl', '.ndjson', '.json', '.csv']}
        onSelect={(files) => onChoose(files?.[0])}
      >
        <AriaButton className="button button-plain">choose one</AriaButton>
      </FileTrigger>
      <p className="hint">
        JSONL: one JSON object a line, the item itself or <code>{'{"payload": …, "externalId": …}'}</code>.
        CSV: a header, then an item a row; a column <code>id</code> names it. A row has 8 MiB at most.
      </p>
    </DropZone>
  );
}

function PreviewOf({ chosen: { file, preview } }: { chosen: Chosen }) {
  const { rows, isPart, first, unreadable } = preview;
  return (
    <div className="preview">
      <p>
        <strong>{told(file.name)}</strong>, {bytes(file.size)}
        {unreadable === null ? <Contents preview={preview} /> : '.'}
      </p>
      <Faults preview={preview} />
      {first.length === 0 ? null : (
        <ol className="preview-rows">
          {first.map(({ line, text, fault }) => (
            <li key={line} value={line} className={fault === null ? '' : 'fault'}>
              <code>{told(text)}</code>
            </li>
          ))}
        </ol>
      )}
      {rows > first.length ? (
        <p className="hint">
          The first {first.length} are shown
          {isPart ? `; the first ${rows.toLocaleString()} were looked at, the server reads all` : ''}.
        </p>
      ) : null}
    </div>
  );
}

const COLUMNS_SHOWN = 8;

function Contents({ preview: { rows, isPart, format, columns } }: { preview: Preview }) {
  const named = columns.slice(0, COLUMNS_SHOWN).map(told).join(', ');
  return (
    <>
      {' '}
      of {format.toUpperCase()}: {isPart ? 'more than ' : ''}
      {rows.toLocaleString()} {rows === 1 ? 'row' : 'rows'}
      {columns.length > 0
        ? ` of ${columns.length} ${columns.length === 1 ? 'column' : 'columns'} (${named})`
        : ''}
      .
    </>
  );
}

function Faults({ preview }: { preview: Preview }) {
  const { faults, faultCount, unreadable } = preview;
  const nothing = nothingIn(preview);
  if (faultCount === 0 && nothing === null) {
    return null;
  }
  return (
    <div role="alert">
      {unreadable === null ? null : <p className="fault">{told(unreadable)}</p>}
      <p className="fault">{nothing ?? outcomeOf(preview)}</p>
      <ul className="faults">
        {faults.map(({ line, fault, text }) => (
          <li key={line}>
            Line {line}: {told(fault ?? '')} <code>{told(text.slice(0, 80))}</code>
          </li>
        ))}
      </ul>
      {faultCount > faults.length ? <p className="hint">The first {faults.length} are listed.</p> : null}
    </div>
  );
}

function outcomeOf({ faultCount, isPart, isList }: Preview): string {
  const rows = faultCount === 1 ? '1 row' : `${faultCount.toLocaleString()} rows`;
  return `${rows}${isPart ? ' of those looked at' : ''} will be left out; the others are taken.${isList ? ` ${A_LIST}` : ''}`;
}
