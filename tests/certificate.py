"""A certificate for servers of tests on this machine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat


def write_certificate(folder: Path) -> tuple[str, str]:
    """The files of a key and of a certificate for 127.0.0.1 that no authority has signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "gnomon")])
    begin = datetime(2020, 1, 1, tzinfo=UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(
        name, name, key.public_key(), 1, begin, begin + timedelta(days=36500)
    ).add_extension(address, critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    for file, text in (
        ("key.pem", key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())),
        ("cert.pem", builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)),
    ):
        (folder / file).write_bytes(text)
    return str(folder / "cert.pem"), str(folder / "key.pem")
