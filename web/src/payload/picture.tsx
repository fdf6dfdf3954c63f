import { useMemo, useState } from 'react';
import { shown } from '../parts/bidi.js';
import { Button } from '../parts/button.js';
import { Scrollable } from '../parts/scrollable.js';
import { isAddress, isPicture, pictureIn } from './embedded.js';
import { useUrl } from './use-url.js';

/** A picture, as large as the page or as large as it is. */
export function Picture({ blob, label = 'What this task shows' }: { blob: Blob; label?: string }) {
  const url = useUrl(blob);
  const [isWhole, setWhole] = useState(true);
  const [isBroken, setBroken] = useState(false);
  if (isBroken) {
    return <Broken label={label} />;
  }
  return url === null ? null : (
    <figure className="picture">
      <Button look="quiet" onPress={() => setWhole(!isWhole)}>
        {isWhole ? 'Show at full size' : 'Fit to the page'}
      </Button>
      <Scrollable className={isWhole ? 'picture-whole' : 'picture-full'} label={`${label}: the picture`}>
        <img src={url} alt={label} onError={() => setBroken(true)} />
      </Scrollable>
    </figure>
  );
}

/** A value of JSON that is more than its text: a picture that came with it, or the address of something elsewhere. */
export function Special({ text, label }: { text: string; label: string }) {
  const picture = useMemo(() => pictureIn(text), [text]);
  const blob = useMemo(() => (picture ? new Blob([picture.bytes], { type: picture.type }) : null), [picture]);
  if (isAddress(text)) {
    return <Elsewhere url={text} />;
  }
  return blob === null ? <Broken label={label} /> : <Picture blob={blob} label={label} />;
}

/** Whether {@link Special} shows it. */
export const isSpecial = (value: unknown): value is string =>
  typeof value === 'string' && (isPicture(value) || isAddress(value));

/** Nothing is fetched from elsewhere unasked: whoever owns the place would learn who looks at which task, and may change what it shows. */
function Elsewhere({ url }: { url: string }) {
  return (
    <span className="elsewhere">
      <a href={url} target="_blank" rel="noopener noreferrer nofollow">
        {shown(url)}
      </a>{' '}
      <span className="hint">(elsewhere; not fetched by this page)</span>
    </span>
  );
}

function Broken({ label }: { label: string }) {
  return (
    <p className="fault">
      {label}: the picture is broken, and cannot be shown. Flag the task if it cannot be answered without.
    </p>
  );
}
