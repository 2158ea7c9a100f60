export function LandingPage({ signedIn }: { signedIn: boolean }) {
  return <h1>Millrace{signedIn ? '' : ''}</h1>
}
