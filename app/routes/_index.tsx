export default function I() { return <p>hi</p> }
