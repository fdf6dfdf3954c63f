import type { ReactNode } from 'react';

interface ScrollableProps {
  readonly label: string;
  readonly className: string;
  readonly children: ReactNode;
}

/** A part of the page that may be larger than its place: it scrolls by keyboard too, and says what it is. */
export function Scrollable({ label, className, children }: ScrollableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard (WCAG 2.1.1)
    <section className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
