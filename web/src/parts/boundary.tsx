import { Component, type ReactNode } from 'react';

interface BoundaryProps {
  /** Shown in place of what could not be. */
  readonly instead: ReactNode;
  readonly children: ReactNode;
}

/** What fails inside is replaced alone: the page around it stays, with all that was typed there. */
export class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override readonly state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.instead : this.props.children;
  }
}
